import { isElement, parseXml, SamlError, type XmlElement, type XmlLimits } from "../../platform/saml/index.ts";
import { imageFault } from "./errors.ts";
import { safeStyles, safeSvgValue } from "./svg-styles.ts";

const SVG = "http://www.w3.org/2000/svg";
const XLINK = "http://www.w3.org/1999/xlink";
const LIMITS: XmlLimits = { bytes: 512 * 1024, depth: 32, nodes: 20_000, attributes: 64, markup: "documents" };
/** The limit on `<use>` elements, because each one draws its target again. */
const MAX_USES = 200;

const list = (names: string): ReadonlySet<string> => new Set(names.trim().split(/\s+/));

/** The allowed elements: shapes, text, paint and filters. None of them runs, moves, links or loads anything. */
const ELEMENTS = list(`
  svg g defs symbol use title desc style path rect circle ellipse line polyline polygon text tspan
  linearGradient radialGradient stop clipPath mask pattern marker filter feBlend feColorMatrix feComponentTransfer feComposite feDropShadow
  feFlood feFuncA feFuncB feFuncG feFuncR feGaussianBlur feMerge feMergeNode feMorphology feOffset`);
/** Elements that describe the author or the editor. They are omitted, like everything in other namespaces. */
const DROPPED = list("metadata");

const ATTRIBUTES = list(`
  id class style width height viewBox version preserveAspectRatio x y x1 y1 x2 y2 cx cy r rx ry fx fy fr d points pathLength dx dy rotate
  textLength lengthAdjust transform gradientTransform gradientUnits spreadMethod offset patternUnits patternContentUnits patternTransform
  clipPathUnits maskUnits maskContentUnits markerWidth markerHeight markerUnits refX refY orient filterUnits primitiveUnits in in2 result mode
  operator k1 k2 k3 k4 type values tableValues slope intercept amplitude exponent stdDeviation edgeMode radius role aria-label aria-hidden
  focusable overflow color fill fill-opacity fill-rule stroke stroke-width stroke-opacity stroke-linecap stroke-linejoin stroke-miterlimit
  stroke-dasharray stroke-dashoffset opacity display visibility clip-path clip-rule mask filter flood-color flood-opacity stop-color
  stop-opacity marker-start marker-mid marker-end paint-order vector-effect shape-rendering text-rendering color-interpolation
  color-interpolation-filters enable-background isolation mix-blend-mode font-family font-size font-style font-weight font-variant
  font-stretch letter-spacing word-spacing text-anchor text-decoration dominant-baseline alignment-baseline baseline-shift writing-mode
  direction`);

interface Cleaned {
  readonly body: Buffer;
  readonly width: number;
  readonly height: number;
}

/**
 * Rewrites an SVG with the elements and attributes of our list. Anything else is refused by name, so that no administrator wonders why a logo looks different
 * here. Only the notes of editors are omitted silently.
 */
export function cleanSvg(bytes: Buffer): Cleaned {
  const root = read(bytes);
  if (root.namespace !== SVG || root.local !== "svg") throw imageFault("it is neither a PNG nor an SVG");
  checkUses(root);
  const { width, height } = sizeOf(root);
  const written = write(root, ` xmlns="${SVG}"${missingSize(root, width, height)}`);
  return { body: Buffer.from(`${written}\n`, "utf8"), width: Math.round(width), height: Math.round(height) };
}

function read(bytes: Buffer): XmlElement {
  try {
    return parseXml(bytes, LIMITS);
  } catch (cause) {
    if (!(cause instanceof SamlError)) throw cause;
    throw imageFault(`as an SVG it is not valid: ${cause.message}`, cause);
  }
}

const nameOf = ({ prefix, local }: { readonly prefix: string; readonly local: string }) => (prefix ? `${prefix}:${local}` : local);

function write(element: XmlElement, opening = ""): string {
  const { local } = element;
  if (!ELEMENTS.has(local)) throw imageFault(`the SVG has the element <${nameOf(element)}>, which is not taken`);
  const attributes = element.attributes.map((attribute) => attributeOf(local, attribute)).join("");
  if (local === "style") return `<style${attributes}>${escapeText(safeStyles(textOf(element)))}</style>`;
  const children = element.children.map((child) => {
    if (typeof child === "string") return escapeText(child);
    return isElement(child) && child.namespace === SVG && !DROPPED.has(child.local) ? write(child) : refused(child);
  });
  const inside = children.join("");
  return inside === "" ? `<${local}${opening}${attributes}/>` : `<${local}${opening}${attributes}>${inside}</${local}>`;
}

/** Omits comments and elements of editors. Refuses HTML and MathML, which would run in a page. */
function refused(child: Exclude<XmlElement["children"][number], string>): string {
  if (isElement(child) && /^http:\/\/www\.w3\.org\/(1999\/xhtml|1998\/Math)/.test(child.namespace))
    throw imageFault(`the SVG has the element <${nameOf(child)}>, which is not taken`);
  return "";
}

const textOf = ({ children }: XmlElement): string => children.map((child) => (typeof child === "string" ? child : "")).join("");

function attributeOf(element: string, attribute: XmlElement["attributes"][number]): string {
  const { local, namespace, value } = attribute;
  const name = nameOf(attribute);
  if (/^on/i.test(local)) throw imageFault(`<${element}> has the attribute ${name}, which is not taken`);
  if (local === "href" && (namespace === "" || namespace === XLINK)) {
    // Only fragments are allowed: anything else would be loaded from elsewhere, or run.
    if (!/^#[\w.:-]+$/.test(value)) throw imageFault(`${name} of <${element}> leads out of the picture`);
    return ` href="${escapeAttribute(value)}"`;
  }
  if (namespace !== "") return local === "space" && value === "preserve" ? ' xml:space="preserve"' : "";
  if (/^(data-|inkscape|sodipodi)/.test(local)) return "";
  if (!ATTRIBUTES.has(local)) throw imageFault(`<${element}> has the attribute ${name}, which is not taken`);
  const isSafe = local === "style" ? safeSvgValue(value, true) : safeSvgValue(value);
  if (!isSafe) throw imageFault(`${name} of <${element}> has a value that is not taken: it may not load, import or run anything`);
  return ` ${local}="${escapeAttribute(value)}"`;
}

const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const escapeText = (text: string) => text.replace(/[&<>]/g, (character) => ENTITIES[character]!);
const escapeAttribute = (text: string) => text.replace(/[&<>"]/g, (character) => ENTITIES[character]!).replace(/\s/g, " ");

/** Refuses nested uses, because they multiply: ten of them could draw a picture a thousand million times. */
function checkUses(root: XmlElement): void {
  let uses = 0;
  const targets = new Set<string>();
  const repeating = new Set<string>();
  /** Visits an element. `holders` are the ids of the elements around it. */
  const visit = (element: XmlElement, holders: readonly string[]) => {
    const id = element.attributes.find(({ local, namespace }) => local === "id" && namespace === "")?.value;
    const around = id === undefined ? holders : [...holders, id];
    if (element.local === "use") {
      uses += 1;
      const href = element.attributes.find(({ local }) => local === "href")?.value;
      if (href) targets.add(href.slice(1));
      for (const holder of around) repeating.add(holder);
    }
    for (const child of element.children) if (isElement(child)) visit(child, around);
  };
  visit(root, []);
  if (uses > MAX_USES) throw imageFault(`the SVG has more than ${MAX_USES} elements <use>`);
  for (const target of targets) if (repeating.has(target)) throw imageFault("the SVG has a <use> of what has a <use> in it");
}

const NUMBER = /^\s*([0-9]*\.?[0-9]+(?:e[0-9]+)?)\s*(?:px|pt)?\s*$/i;
/** The longest text of a size. The expression takes a time that grows with the square of the length. */
const MAX_DIGITS = 64;
const MAX_SIZE = 100_000;

/** Returns the size in pixels, from the picture's own attributes, otherwise from its view box. */
function sizeOf(root: XmlElement): { readonly width: number; readonly height: number } {
  const value = (name: string) => root.attributes.find(({ local, namespace }) => local === name && namespace === "")?.value;
  const [, , boxWidth, boxHeight] = (value("viewBox") ?? "").trim().split(/[\s,]+/);
  const size = (own: string | undefined, box: string | undefined) => {
    const text = [own, box].find((each) => each !== undefined && each.length <= MAX_DIGITS && NUMBER.test(each));
    return text === undefined ? null : Number(NUMBER.exec(text)![1]);
  };
  const [width, height] = [size(value("width"), boxWidth), size(value("height"), boxHeight)];
  if (!width || !height || width > MAX_SIZE || height > MAX_SIZE) throw imageFault("the SVG does not say its size: it needs a viewBox");
  return { width, height };
}

/** Returns attributes for a picture without a size, which browsers would otherwise draw 300 pixels wide. */
const missingSize = (root: XmlElement, width: number, height: number): string =>
  ["width", "height"].some((name) => root.attributes.some(({ local }) => local === name)) ? "" : ` width="${width}" height="${height}"`;
