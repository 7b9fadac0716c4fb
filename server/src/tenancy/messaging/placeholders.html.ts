import { isSpace, readHtml, type Where } from "./placeholders.reader.ts";
import { isColor, type Part, type Slot } from "./placeholders.ts";

/** Attributes of plain text, which load and run nothing. */
const TEXT_ATTRIBUTES = /^(title|alt|abbr|summary|label|lang|aria-[a-z]+)$/;
/** Elements whose content is text, in which only character references have a meaning. */
const TEXT_ELEMENTS = new Set(["title", "textarea"]);
/** The beginning of an address that a placeholder may follow: the host of a URL must be complete. */
const ADDRESS_BEGUN = /^\s*(https?:\/\/[^\s/?#]+[/?#]|mailto:|tel:)/i;

/**
 * Returns the parts, with the position of each placeholder noted. Calls `fault` for placeholders at positions where a value could do harm. They are withheld,
 * so that a template which was saved before a rule existed leaks nothing.
 *
 * An address that is loaded when the mail is opened reveals every value in it to its server. So a placeholder may occur only in the address of a link, which a
 * click follows.
 */
export function placedInHtml(parts: readonly Part[], fault: (message: string) => void): Part[] {
  const placed = new Map<Slot, Slot>();
  const judge = (slot: Slot, where: Where) => {
    const message = faultOf(slot, where);
    if (message !== null) {
      fault(`{{${slot.name}}} ${message}`);
      placed.set(slot, { ...slot, isWithheld: true });
    } else if (slot.name === "brand" && where.state === "text") placed.set(slot, { ...slot, isMark: true });
    else if (where.attribute === "href" && where.before.length > 0) placed.set(slot, { ...slot, inUrl: true });
  };
  readHtml(parts, { slot: judge });
  return parts.map((part) => (typeof part === "string" ? part : (placed.get(part) ?? part)));
}

function faultOf({ name }: Slot, { state, element, attribute, before, isDoubtful }: Where): string | null {
  if (isColor(name) && (element === "style" ? state === "raw" : attribute === "style")) return null;
  if (state === "raw" && !TEXT_ELEMENTS.has(element)) return `stands inside <${element}>, where no value can be made safe`;
  if (isDoubtful)
    return "stands behind markup that mail programs read in different ways: a script, CDATA, or a < inside an attribute or a title";
  if (state === "text" || state === "raw") return null;
  if (state === "comment") return "stands in a comment, which some mail programs read as markup";
  if (state !== "doubleQuoted" && state !== "singleQuoted")
    return "stands inside a tag: it may stand in the text, or in an attribute between quotation marks";
  if (TEXT_ATTRIBUTES.test(attribute)) return null;
  if (attribute !== "href" || (element !== "a" && element !== "area"))
    return `stands in the attribute ${attribute} of <${element}>: a mail program may load or run what stands there. It may stand in the text, or in the href of a link`;
  const [first] = before;
  if (first === undefined && name === "link") return null;
  const isBegun = typeof first === "string" ? ADDRESS_BEGUN.test(first) : first !== undefined;
  return isBegun ? null : `would decide where ${attribute} leads: only {{link}} may, or write the address before it`;
}

const HIDDEN = new Set(["head", "title", "template"]);
const PARAGRAPHS = new Set([
  "p",
  "h1",
  "h2",
  "h3",
  "h4",
  "h5",
  "h6",
  "table",
  "ul",
  "ol",
  "blockquote",
  "hr",
  "section",
  "header",
  "footer",
]);
const LINES = new Set(["br", "div", "tr", "li", "pre"]);

const NAMED: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " ", ndash: "–", mdash: "—", hellip: "…" };
const CHARACTER = /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(\w{2,8}));/gi;
const decoded = (text: string): string =>
  text.replace(CHARACTER, (whole, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) return Object.hasOwn(NAMED, name) ? NAMED[name]! : whole;
    const point = decimal === undefined ? Number.parseInt(hex!, 16) : Number(decimal);
    return point > 0 && point <= 0x10ffff ? String.fromCodePoint(point).toWellFormed() : whole;
  });

/** Returns the plain part for an HTML template that has none: its text, with the addresses of its links. */
export function textOfHtml(parts: readonly Part[]): Part[] {
  const found: Part[] = [];
  let hidden = 0;
  let link: { readonly href: readonly Part[]; readonly from: number } | null = null;
  const add = (piece: Part) => {
    const last = found.length - 1;
    if (typeof piece === "string" && typeof found[last] === "string") found[last] += piece;
    else found.push(piece);
  };
  readHtml(parts, {
    text: (piece) => {
      if (hidden === 0) add(typeof piece === "string" && isSpace(piece) ? " " : piece);
    },
    tag({ name, isEnd, href }) {
      if (HIDDEN.has(name)) hidden = Math.max(0, hidden + (isEnd ? -1 : 1));
      if (hidden > 0) return;
      if (name === "a" && !isEnd) link = { href, from: found.length };
      else if (name === "a" && link) {
        const isShownAlready = sameSlot(found.slice(link.from), link.href);
        if (link.href.length > 0 && !isShownAlready) for (const piece of [": ", ...link.href]) add(piece);
        link = null;
      } else if (PARAGRAPHS.has(name)) add("\n\n");
      else if (LINES.has(name) && (!isEnd || name !== "br")) add(name === "li" && !isEnd ? "\n- " : "\n");
      else if (name === "td" || name === "th") add(" ");
    },
  });
  return tidy(found.map((part) => (typeof part === "string" ? decoded(part) : part)));
}

/** Tells whether a link shows its own address, as in `<a href="{{link}}">{{link}}</a>`. */
const sameSlot = ([text, ...more]: readonly Part[], [href, ...rest]: readonly Part[]): boolean =>
  typeof text === "object" && typeof href === "object" && text.name === href.name && more.length === 0 && rest.length === 0;

/** Leaves at most one space or one empty line in a row, and none at the ends. */
function tidy(parts: readonly Part[]): Part[] {
  const squeezed = parts.map((part) =>
    typeof part === "string"
      ? part
          .replace(/ +/g, " ")
          .replace(/ ?\n ?/g, "\n")
          .replace(/\n{3,}/g, "\n\n")
      : part,
  );
  const [first, last] = [squeezed[0], squeezed.at(-1)];
  if (typeof first === "string") squeezed[0] = first.trimStart();
  if (typeof last === "string") squeezed[squeezed.length - 1] = (squeezed.at(-1) as string).trimEnd();
  return squeezed;
}
