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

/** The parts of a document that messages need: elements, text, and comments where the caller lets them pass. */
export interface XmlElement {
  readonly prefix: string;
  readonly local: string;
  readonly namespace: string;
  readonly attributes: readonly XmlAttribute[];
  /** The namespaces declared here, by prefix; "" is the default one. */
  readonly declarations: ReadonlyMap<string, string>;
  readonly parent: XmlElement | null;
  readonly children: readonly XmlNode[];
}

export type XmlNode = XmlElement | XmlComment | string;

export const isElement = (node: XmlNode): node is XmlElement => typeof node !== "string" && !("comment" in node);

/** The namespace that `prefix` stands for at `element`; undefined where it is not declared. "" is "no default namespace". */
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

/** Direct children only: nothing in the core searches a tree. */
export const childrenNamed = (element: XmlElement, namespace: string, local: string): XmlElement[] =>
  elementsOf(element).filter((child) => isNamed(child, namespace, local));

/** The child of that name, or null; a second one is refused. */
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

/** An attribute without a namespace, as every attribute of SAML is. */
export const attributeOf = (element: XmlElement, name: string): string | null =>
  element.attributes.find((attribute) => attribute.namespace === "" && attribute.local === name)?.value ?? null;

export function requiredAttribute(element: XmlElement, name: string, reason: SamlReason = "message"): string {
  const value = attributeOf(element, name);
  if (value === null || value === "") throw new SamlError(reason, `${element.local} has no ${name}`);
  return value;
}

/** The text of an element that holds text alone: neither elements nor comments can hide a part of it. */
export function textOf(element: XmlElement, reason: SamlReason = "message"): string {
  if (element.children.some((child) => typeof child !== "string")) throw new SamlError(reason, `${element.local} holds more than text`);
  return element.children.join("");
}

/** For types such as xs:anyURI, whose surrounding whitespace does not count. */
export const trimmedTextOf = (element: XmlElement, reason: SamlReason = "message"): string =>
  textOf(element, reason).replace(/^[ \t\r\n]+|[ \t\r\n]+$/g, "");

/** Refuses text between elements, where the schema allows none. */
export function elementsOnly(element: XmlElement, reason: SamlReason): XmlElement[] {
  for (const child of element.children) {
    if (isElement(child)) continue;
    if (typeof child !== "string" || child.trim() !== "") throw new SamlError(reason, `${element.local} holds more than elements`);
  }
  return elementsOf(element);
}
