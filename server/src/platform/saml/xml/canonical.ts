import { SamlError } from "../errors.ts";
import { compareCodePoints, escapeAttribute, escapeText } from "./characters.ts";
import { isElement, namespaceAt, type XmlElement } from "./tree.ts";

export interface CanonicalOptions {
  /** Exclusive XML Canonicalization §3: the prefixes that are treated as in inclusive canonicalization; "" is `#default`. */
  readonly inclusivePrefixes?: readonly string[];
  /** Canonical XML 1.0 and 1.1 instead: with every namespace that is in scope. */
  readonly inclusive?: boolean;
  readonly comments?: boolean;
  /** The enveloped signature, which the digest does not cover (XML Signature §6.6.4). */
  readonly without?: XmlElement | null;
  /**
   * A long namespace that is declared once and used in many places is written in each of them: a small document can have a canonical form
   * of gigabytes.
   */
  readonly maxLength: number;
}

/** The namespaces that an ancestor in the output has declared. A chain, because copying it for every element could be made expensive. */
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

/** Exclusive XML Canonicalization 1.0 of `apex` and what it holds, or the inclusive one. */
export function canonicalize(apex: XmlElement, options: CanonicalOptions): string {
  const { inclusivePrefixes = [], inclusive = false, comments = false, without, maxLength } = options;
  if (inclusive) refuseInheritedAttributes(apex);
  let output = "";
  const write = (text: string): void => {
    if (output.length + text.length > maxLength) throw new SamlError("size", "The canonical form of the document is too large");
    output += text;
  };

  const writeElement = (element: XmlElement, outer: Rendered | null): void => {
    const name = element.prefix === "" ? element.local : `${element.prefix}:${element.local}`;
    const used = inclusive ? prefixesInScope(element, element === apex) : prefixesUsedBy(element, inclusivePrefixes);
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

/** §3: those that the element and its attributes visibly use, and those of the prefix list. */
function prefixesUsedBy(element: XmlElement, inclusivePrefixes: readonly string[]): string[] {
  const used = [element.prefix, ...inclusivePrefixes];
  for (const { prefix } of element.attributes) if (prefix !== "" && !used.includes(prefix)) used.push(prefix);
  return used;
}

/** Canonical XML 1.0 §2.3: those that the element declares; the first of the output has those of its ancestors as well. */
function prefixesInScope(element: XmlElement, isApex: boolean): string[] {
  const found = new Set<string>();
  for (let at: XmlElement | null = element; at; at = isApex ? at.parent : null)
    for (const prefix of at.declarations.keys()) found.add(prefix);
  return [...found];
}

/** The two versions differ in what `xml:` attributes an element inherits. Messages have none, so nothing is inherited. */
function refuseInheritedAttributes(apex: XmlElement): void {
  for (let at = apex.parent; at; at = at.parent)
    if (at.attributes.some(({ prefix }) => prefix === "xml"))
      throw new SamlError("signature_algorithm", "Inclusive canonicalization below an element with xml: attributes is refused");
}

/** The namespaces of these prefixes, unless an ancestor in the output has them. */
function declarationsFor(element: XmlElement, outer: Rendered | null, used: string[]): Map<string, string> {
  if (used.length > 1) used.sort(compareCodePoints);
  const declared = new Map<string, string>();
  for (const prefix of used) {
    if (prefix === "xml") continue;
    const uri = namespaceAt(element, prefix);
    // A prefix of the list need not exist here. No default namespace is what a document starts with.
    if (uri === undefined || uri === (renderedNamespace(outer, prefix) ?? (prefix === "" ? "" : undefined))) continue;
    declared.set(prefix, uri);
  }
  return declared;
}

/** Canonical XML 1.0 §2.2: by namespace, then by local name. */
function inCanonicalOrder(attributes: XmlElement["attributes"]): XmlElement["attributes"] {
  if (attributes.length < 2) return attributes;
  return [...attributes].sort((a, b) => compareCodePoints(a.namespace, b.namespace) || compareCodePoints(a.local, b.local));
}
