import { SamlError } from "../errors.ts";
import { compareCodePoints, escapeAttribute, escapeText } from "./characters.ts";
import { isElement, namespaceAt, type XmlElement } from "./tree.ts";

export interface CanonicalOptions {
  /** The prefixes that are treated as in inclusive canonicalization (Exclusive XML Canonicalization §3). "" is `#default`. */
  readonly inclusivePrefixes?: readonly string[];
  /** True for Canonical XML 1.0 and 1.1, with every namespace that is in scope. */
  readonly inclusive?: boolean;
  readonly comments?: boolean;
  /** The enveloped signature, which the digest does not cover (XML Signature §6.6.4). */
  readonly without?: XmlElement | null;
  /** The longest output. A long namespace that is declared once is repeated wherever it is used, so a small document can have a canonical form of gigabytes. */
  readonly maxLength: number;
}

/** The namespaces that an ancestor in the output has declared. They form a chain, because an attacker could make copies for every element expensive. */
interface Rendered {
  readonly declared: ReadonlyMap<string, string>;
  readonly outer: Rendered | null;
}

function renderedNamespace(at: Rendered | null, prefix: string): string | undefined {
  for (let scope = at; scope; scope = scope.outer) {
    const uri = scope.declared.get(prefix);
    if (uri !== undefined) return uri;
  }
  return undefined;
}

/** Returns the exclusive (1.0) or inclusive canonical form of `apex` and its content. */
export function canonicalize(apex: XmlElement, options: CanonicalOptions): string {
  const { inclusivePrefixes = [], inclusive = false, comments = false, without, maxLength } = options;
  if (inclusive) refuseInheritedAttributes(apex);
  let output = "";
  const write = (text: string): void => {
    if (output.length + text.length > maxLength) throw new SamlError("size", "The canonical form of the document is too large");
    output += text;
  };

  const writeElement = (element: XmlElement, outer: Rendered | null): void => {
    const isApex = element === apex;
    const name = element.prefix === "" ? element.local : `${element.prefix}:${element.local}`;
    const used = inclusive ? prefixesInScope(element, isApex) : prefixesUsedBy(element, inclusivePrefixes, isApex);
    const declared = declarationsFor(element, outer, used);
    write(`<${name}`);
    for (const [prefix, uri] of declared) write(` ${prefix === "" ? "xmlns" : `xmlns:${prefix}`}="${escapeAttribute(uri)}"`);
    for (const { prefix, local, value } of inCanonicalOrder(element.attributes)) {
      write(` ${prefix === "" ? local : `${prefix}:${local}`}="${escapeAttribute(value)}"`);
    }
    write(">");
    const scope = declared.size > 0 ? { declared, outer } : outer;
    for (const child of element.children) {
      if (typeof child === "string") write(escapeText(child));
      else if (isElement(child)) {
        if (child !== without) writeElement(child, scope);
      } else if (comments) write(`<!--${child.comment}-->`);
    }
    write(`</${name}>`);
  };

  writeElement(apex, null);
  return output;
}

/**
 * Returns the prefixes that the element and its attributes visibly use, and those of the prefix list (§3). Of the list, an element inside only needs those that
 * it declares: the output has the others already, or they are not in scope. To look all of them up everywhere would multiply the work by the list.
 */
function prefixesUsedBy(element: XmlElement, listed: readonly string[], isApex: boolean): string[] {
  const used = [element.prefix, ...(isApex ? listed : listed.filter((prefix) => element.declarations.has(prefix)))];
  for (const { prefix } of element.attributes) if (prefix !== "" && !used.includes(prefix)) used.push(prefix);
  return used;
}

/** Returns the prefixes that the element declares (Canonical XML 1.0 §2.3). The first element of the output also has those of its ancestors. */
function prefixesInScope(element: XmlElement, isApex: boolean): string[] {
  const found = new Set<string>();
  for (let at: XmlElement | null = element; at; at = isApex ? at.parent : null)
    for (const prefix of at.declarations.keys()) found.add(prefix);
  return [...found];
}

/** Refuses inherited `xml:` attributes, which the two versions treat differently. Messages have none. */
function refuseInheritedAttributes(apex: XmlElement): void {
  for (let at = apex.parent; at; at = at.parent)
    if (at.attributes.some(({ prefix }) => prefix === "xml"))
      throw new SamlError("signature_algorithm", "Inclusive canonicalization below an element with xml: attributes is refused");
}

/** Returns the namespaces of these prefixes, except those that an ancestor in the output has declared. */
function declarationsFor(element: XmlElement, outer: Rendered | null, used: string[]): Map<string, string> {
  if (used.length > 1) used.sort(compareCodePoints);
  const declared = new Map<string, string>();
  for (const prefix of used) {
    if (prefix === "xml") continue;
    const uri = namespaceAt(element, prefix);
    // A prefix of the list need not exist here. A document starts without a default namespace, so that is not declared.
    if (uri === undefined || uri === (renderedNamespace(outer, prefix) ?? (prefix === "" ? "" : undefined))) continue;
    declared.set(prefix, uri);
  }
  return declared;
}

/** Sorts attributes by namespace, then by local name (Canonical XML 1.0 §2.2). */
function inCanonicalOrder(attributes: XmlElement["attributes"]): XmlElement["attributes"] {
  if (attributes.length < 2) return attributes;
  return [...attributes].sort((a, b) => compareCodePoints(a.namespace, b.namespace) || compareCodePoints(a.local, b.local));
}
