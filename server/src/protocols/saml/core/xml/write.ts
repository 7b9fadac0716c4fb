import { NS, type Prefix } from "../names.ts";
import { compareCodePoints, escapeAttribute, escapeText, isXmlText } from "./characters.ts";

type QualifiedName = `${Exclude<Prefix, "xml">}:${string}`;
type Attributes = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** Text that is complete in itself, with what it declares; put in as it is. */
interface Prerendered {
  readonly text: string;
  readonly declares: ReadonlySet<string>;
}

/** An element to be written. `rendered` is its text where that has been made, for a place in which nothing is declared yet. */
export interface Fragment {
  readonly name: QualifiedName;
  readonly attributes: Attributes;
  readonly children: readonly Content[];
  readonly rendered?: Prerendered;
}

export type Content = Fragment | Prerendered | string | null | undefined | false;

export const element = (name: QualifiedName, attributes: Attributes = {}, ...children: Content[]): Fragment => ({
  name,
  attributes,
  children,
});

const isFragment = (content: Fragment | Prerendered): content is Fragment => "name" in content;

/** A value that XML cannot carry: what is written comes from our own records, which must not hold it. */
function carried(text: string): string {
  if (!isXmlText(text)) throw new TypeError("The text holds characters that XML cannot carry");
  return text;
}

/**
 * Writes in exclusive canonical form, which is what a signature covers: namespaces where they are first used, attributes in order, no empty
 * tags. A message is therefore signed without being parsed again.
 */
function write(content: Content, scope: readonly string[], declares: Set<string>): string {
  if (content === null || content === undefined || content === false) return "";
  if (typeof content === "string") return escapeText(carried(content));
  const made = isFragment(content) ? content.rendered : content;
  if (made && scope.every((prefix) => !made.declares.has(prefix))) {
    for (const prefix of made.declares) declares.add(prefix);
    return made.text;
  }
  if (!isFragment(content)) throw new Error("Prepared XML was put where its namespaces are declared already");
  const { head, inner, tail } = open(content, scope, declares);
  return head + content.children.map((child) => write(child, inner, declares)).join("") + tail;
}

const prefixOf = (qualified: string): string => {
  const colon = qualified.indexOf(":");
  return colon < 0 ? "" : qualified.slice(0, colon);
};

function open({ name, attributes }: Fragment, scope: readonly string[], declares: Set<string>) {
  const present = Object.entries(attributes).filter(([, value]) => value !== null && value !== undefined);
  if (present.length > 1) present.sort(([a], [b]) => compareAttributes(a, b));
  const added = [name, ...present.map(([attribute]) => attribute)]
    .map(prefixOf)
    .filter((prefix, i, all) => prefix !== "" && prefix !== "xml" && !scope.includes(prefix) && all.indexOf(prefix) === i)
    .sort();
  let head = `<${name}`;
  for (const prefix of added) {
    declares.add(prefix);
    head += ` xmlns:${prefix}="${NS[prefix as Prefix]}"`;
  }
  for (const [attribute, value] of present) head += ` ${attribute}="${escapeAttribute(carried(String(value)))}"`;
  return { head: `${head}>`, inner: added.length > 0 ? [...scope, ...added] : scope, tail: `</${name}>` };
}

/** By namespace, then by local name: those without a prefix come first. */
function compareAttributes(a: string, b: string): number {
  const [left, right] = [prefixOf(a), prefixOf(b)];
  if (left === right) return compareCodePoints(a, b);
  return compareCodePoints(left && NS[left as Prefix], right && NS[right as Prefix]);
}

/** The element as text, in exclusive canonical form. */
export const render = (fragment: Fragment): string => write(fragment, [], new Set());

export interface Halves {
  readonly before: string;
  readonly after: string;
  readonly declares: Set<string>;
}

/** The same, in two halves between which a child can be put: before its `position`-th child. */
export function renderHalves(fragment: Fragment, position: number): Halves {
  const declares = new Set<string>();
  const { head, inner, tail } = open(fragment, [], declares);
  const part = (children: readonly Content[]) => children.map((child) => write(child, inner, declares)).join("");
  return { before: head + part(fragment.children.slice(0, position)), after: part(fragment.children.slice(position)) + tail, declares };
}
