import { NS, type Prefix } from "../names.ts";
import { compareCodePoints, escapeAttribute, escapeText, isXmlText } from "./characters.ts";

type QualifiedName = `${Exclude<Prefix, "xml">}:${string}`;
type Attributes = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** Complete text, with the prefixes that it declares. It is inserted unchanged. */
interface Prerendered {
  readonly text: string;
  readonly declares: ReadonlySet<string>;
}

/** An element to write. `rendered` is its text if it was already made, for a place in which nothing is declared yet. */
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

/** Characters that need no escape in text or attributes. */
const PLAIN = /^[ !#-%'-;=?-~]*$/;

/** Refuses text that XML cannot contain. All text comes from our own records, which must not contain such characters. */
function carried(text: string): string {
  if (!isXmlText(text)) throw new TypeError("The text holds characters that XML cannot carry");
  return text;
}

const escaped = (text: string, by: (text: string) => string): string => (PLAIN.test(text) ? text : by(carried(text)));

/**
 * Writes in exclusive canonical form, which a signature covers: namespaces where they are first used, attributes in order, no empty tags. A message is
 * therefore signed without being parsed again.
 */
function write(content: Content, scope: readonly string[], declares: Set<string>): string {
  if (content === null || content === undefined || content === false) return "";
  if (typeof content === "string") return escaped(content, escapeText);
  const made = isFragment(content) ? content.rendered : content;
  if (made && scope.every((prefix) => !made.declares.has(prefix))) {
    for (const prefix of made.declares) declares.add(prefix);
    return made.text;
  }
  if (!isFragment(content)) throw new Error("Prepared XML was put where its namespaces are declared already");
  const { head, inner } = open(content, scope, declares);
  return head + writeAll(content.children, inner, declares) + partsOf(content.name).endTag;
}

function writeAll(contents: readonly Content[], scope: readonly string[], declares: Set<string>): string {
  let text = "";
  for (const content of contents) text += write(content, scope, declares);
  return text;
}

/** The written parts of a name. All names are in our code, so they are few, and each is composed once. */
interface NameParts {
  readonly prefix: string;
  readonly start: string;
  readonly startTag: string;
  readonly endTag: string;
  readonly attribute: string;
}

const parts = new Map<string, NameParts>();

function partsOf(name: string): NameParts {
  let known = parts.get(name);
  if (!known) {
    const prefix = name.slice(0, Math.max(0, name.indexOf(":")));
    known = { prefix, start: `<${name}`, startTag: `<${name}>`, endTag: `</${name}>`, attribute: ` ${name}="` };
    parts.set(name, known);
  }
  return known;
}

function open({ name, attributes }: Fragment, scope: readonly string[], declares: Set<string>) {
  const { prefix, start, startTag } = partsOf(name);
  const names = inOrder(attributes);
  if (names.length === 0 && scope.includes(prefix)) return { head: startTag, inner: scope };
  const added: string[] = [];
  const use = (used: string) => {
    if (used !== "" && used !== "xml" && !scope.includes(used) && !added.includes(used)) added.push(used);
  };
  use(prefix);
  let written = "";
  for (const attribute of names) {
    const value = attributes[attribute];
    if (value === null || value === undefined) continue;
    const label = partsOf(attribute);
    use(label.prefix);
    written += `${label.attribute}${escaped(String(value), escapeAttribute)}"`;
  }
  if (added.length === 0) return { head: `${start}${written}>`, inner: scope };
  if (added.length > 1) added.sort();
  let namespaces = "";
  for (const one of added) {
    declares.add(one);
    namespaces += ` xmlns:${one}="${NS[one as Prefix]}"`;
  }
  return { head: `${start}${namespaces}${written}>`, inner: [...scope, ...added] };
}

/** Returns the names of attributes in canonical order. Most are already in it, and checking that is cheaper than sorting. */
function inOrder(attributes: Attributes): readonly string[] {
  const names = Object.keys(attributes);
  for (let i = 1; i < names.length; i++) if (compareAttributes(names[i - 1]!, names[i]!) > 0) return names.sort(compareAttributes);
  return names;
}

/** Compares by namespace, then by local name. Names without a prefix come first. */
function compareAttributes(a: string, b: string): number {
  const [left, right] = [partsOf(a).prefix, partsOf(b).prefix];
  if (left === right) return compareCodePoints(a, b);
  return compareCodePoints(left && NS[left as Prefix], right && NS[right as Prefix]);
}

/** Returns the element as text, in exclusive canonical form. */
export const render = (fragment: Fragment): string => write(fragment, [], new Set());

export interface Halves {
  readonly before: string;
  readonly after: string;
  readonly declares: Set<string>;
}

/** Writes an element in two halves, between which a child can be inserted: before its `position`-th child. */
export function renderHalves(fragment: Fragment, position: number): Halves {
  const declares = new Set<string>();
  const { head, inner } = open(fragment, [], declares);
  const part = (children: readonly Content[]) => writeAll(children, inner, declares);
  const before = head + part(fragment.children.slice(0, position));
  return { before, after: part(fragment.children.slice(position)) + partsOf(fragment.name).endTag, declares };
}

/**
 * Serialises a message, so that `restored` returns the same message. Its XML would not suffice: inside of another message it has to be written anew, because
 * namespaces that are already declared there are not declared again.
 */
export const stored = (fragment: Fragment): string =>
  JSON.stringify(fragment, (name, value) => (name === "rendered" ? undefined : value instanceof Set ? [...value] : value));

export const restored = (text: string): Fragment =>
  JSON.parse(text, (name, value) => (name === "declares" ? new Set(value as string[]) : value)) as Fragment;
