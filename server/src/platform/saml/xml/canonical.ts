import { SamlError } from "../errors.ts";
import { compareCodePoints, escapeAttribute, escapeText } from "./characters.ts";
import { isElement, namespaceAt, type XmlElement } from "./tree.ts";

export interface CanonicalOptions {
  /** Exclusive XML Canonicalization §3: the prefixes that are treated as in inclusive canonicalization; "" is `#default`. */
  readonly inclusivePrefixes?: readonly string[];
  readonly comments?: boolean;
  /** The enveloped signature, which the digest does not cover (XML Signature §6.6.4). */
  readonly without?: XmlElement | null;
  /**
   * A long namespace that is declared once and used in many places is written in each of them: a small document can have a canonical form
   * of gigabytes.
   */
  readonly maxLength: number;
}

/** What an ancestor in the output has declared. A chain, because copying it for every element could be made expensive. */
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

/** Exclusive XML Canonicalization 1.0 of `apex` and what it holds. */
export function canonicalize(apex: XmlElement, { inclusivePrefixes = [], comments = false, without, maxLength }: CanonicalOptions): string {
  let output = "";
  const write = (text: string): void => {
    if (output.length + text.length > maxLength) throw new SamlError("size", "The canonical form of the document is too large");
    output += text;
  };

  const writeElement = (element: XmlElement, outer: Rendered | null): void => {
    const name = element.prefix === "" ? element.local : `${element.prefix}:${element.local}`;
    const declared = declarationsFor(element, outer, inclusivePrefixes);
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

/** §3: the namespaces that the element and its attributes visibly use, and those of the prefix list, unless an ancestor in the output has them. */
function declarationsFor(element: XmlElement, outer: Rendered | null, inclusivePrefixes: readonly string[]): Map<string, string> {
  const used = [element.prefix, ...inclusivePrefixes];
  for (const { prefix } of element.attributes) if (prefix !== "" && !used.includes(prefix)) used.push(prefix);
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
