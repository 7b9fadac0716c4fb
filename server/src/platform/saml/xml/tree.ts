import { SamlError, type SamlReason } from "../errors.ts";
import { NS } from "../names.ts";

export interface XmlAttribute {
  readonly prefix: string;
  readonly local: string;
  /** "" for an attribute without a prefix. */
  readonly namespace: string;
  readonly value: string;
}

export interface XmlComment {
  readonly comment: string;
}

/** The parts of a document that messages need: elements, text, and comments if the caller accepts them. */
export interface XmlElement {
  readonly prefix: string;
  readonly local: string;
  readonly namespace: string;
  readonly attributes: readonly XmlAttribute[];
  /** The namespaces that are declared here, by prefix. "" is the default one. */
  readonly declarations: ReadonlyMap<string, string>;
  readonly parent: XmlElement | null;
  readonly children: readonly XmlNode[];
}

export type XmlNode = XmlElement | XmlComment | string;

export const isElement = (node: XmlNode): node is XmlElement => typeof node !== "string" && !("comment" in node);

/** Returns the namespace of `prefix` at `element`, or undefined if it is not declared. "" means "no default namespace". */
export function namespaceAt(element: XmlElement, prefix: string): string | undefined {
  if (prefix === "xml") return NS.xml;
  for (let at: XmlElement | null = element; at; at = at.parent) {
    const uri = at.declarations.get(prefix);
    if (uri !== undefined) return uri;
  }
  return prefix === "" ? "" : undefined;
}

export const elementsOf = (element: XmlElement): XmlElement[] => element.children.filter(isElement);

export const isNamed = (element: XmlElement, namespace: string, local: string): boolean =>
  element.namespace === namespace && element.local === local;

/** Returns direct children only: nothing in the core searches a tree. */
export const childrenNamed = (element: XmlElement, namespace: string, local: string): XmlElement[] =>
  elementsOf(element).filter((child) => isNamed(child, namespace, local));

/** Returns the child of that name, or null. A second one is refused. */
export function optionalChild(element: XmlElement, namespace: string, local: string, reason: SamlReason = "message"): XmlElement | null {
  const found = childrenNamed(element, namespace, local);
  if (found.length > 1) throw new SamlError(reason, `${element.local} has more than one ${local}`);
  return found[0] ?? null;
}

export function onlyChild(element: XmlElement, namespace: string, local: string, reason: SamlReason = "message"): XmlElement {
  const child = optionalChild(element, namespace, local, reason);
  if (!child) throw new SamlError(reason, `${element.local} has no ${local}`);
  return child;
}

/** Returns an attribute without a namespace; all attributes of SAML are such. */
export const attributeOf = (element: XmlElement, name: string): string | null =>
  element.attributes.find((attribute) => attribute.namespace === "" && attribute.local === name)?.value ?? null;

export function requiredAttribute(element: XmlElement, name: string, reason: SamlReason = "message"): string {
  const value = attributeOf(element, name);
  if (value === null || value === "") throw new SamlError(reason, `${element.local} has no ${name}`);
  return value;
}

/** Returns the text of an element that contains only text, so that no element or comment can hide a part of it. */
export function textOf(element: XmlElement, reason: SamlReason = "message"): string {
  if (element.children.some((child) => typeof child !== "string")) throw new SamlError(reason, `${element.local} holds more than text`);
  return element.children.join("");
}

/**
 * Returns the text for types such as xs:anyURI, in which surrounding whitespace does not count. An expression for whitespace at the end would try every
 * space within the text, each up to the next letter: minutes for a message of spaces.
 */
export function trimmedTextOf(element: XmlElement, reason: SamlReason = "message"): string {
  const text = textOf(element, reason);
  const isSpace = (at: number) => " \t\r\n".includes(text[at]!);
  let [from, to] = [0, text.length];
  while (from < to && isSpace(from)) from++;
  while (from < to && isSpace(to - 1)) to--;
  return text.slice(from, to);
}

/** Returns the children of an element in which the schema allows no text. Refuses text. */
export function elementsOnly(element: XmlElement, reason: SamlReason): XmlElement[] {
  for (const child of element.children) {
    if (isElement(child)) continue;
    if (typeof child !== "string" || child.trim() !== "") throw new SamlError(reason, `${element.local} holds more than elements`);
  }
  return elementsOf(element);
}
