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
  return head + writeAll(content.children, inner, declares) + tail;
}

function writeAll(contents: readonly Content[], scope: readonly string[], declares: Set<string>): string {
  let text = "";
  for (const content of contents) text += write(content, scope, declares);
  return text;
}

const prefixOf = (qualified: string): string => {
  const colon = qualified.indexOf(":");
  return colon < 0 ? "" : qualified.slice(0, colon);
};

function open({ name, attributes }: Fragment, scope: readonly string[], declares: Set<string>) {
  const present: [name: string, value: string][] = [];
  for (const [attribute, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined) present.push([attribute, String(value)]);
  }
  if (present.length > 1) present.sort(([a], [b]) => compareAttributes(a, b));
  const added: string[] = [];
  for (const qualified of [name, ...present.map(([attribute]) => attribute)]) {
    const prefix = prefixOf(qualified);
    if (prefix !== "" && prefix !== "xml" && !scope.includes(prefix) && !added.includes(prefix)) added.push(prefix);
  }
  if (added.length > 1) added.sort();
  let head = `<${name}`;
  for (const prefix of added) {
    declares.add(prefix);
    head += ` xmlns:${prefix}="${NS[prefix as Prefix]}"`;
  }
  for (const [attribute, value] of present) head += ` ${attribute}="${escapeAttribute(carried(value))}"`;
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
  const part = (children: readonly Content[]) => writeAll(children, inner, declares);
  return { before: head + part(fragment.children.slice(0, position)), after: part(fragment.children.slice(position)) + tail, declares };
}

/**
 * A message as text that `restored` makes the same message of. Its XML would not do: put into another message, it has to be written anew,
 * because namespaces that are declared there already are not declared again.
 */
export const stored = (fragment: Fragment): string =>
  JSON.stringify(fragment, (name, value) => (name === "rendered" ? undefined : value instanceof Set ? [...value] : value));

export const restored = (text: string): Fragment =>
  JSON.parse(text, (name, value) => (name === "declares" ? new Set(value as string[]) : value)) as Fragment;
