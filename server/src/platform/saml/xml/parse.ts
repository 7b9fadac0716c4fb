import { SamlError, type SamlReason } from "../errors.ts";
import { NS, XMLNS } from "../names.ts";
import { isXmlText, NCNAME } from "./characters.ts";
import { namespaceAt, type XmlAttribute, type XmlElement, type XmlNode } from "./tree.ts";

/** The limits of a document. They are checked while it is read, so that nothing larger is ever built. */
export interface XmlLimits {
  readonly bytes: number;
  readonly depth: number;
  readonly nodes: number;
  /** The most attributes of an element, namespace declarations included. */
  readonly attributes: number;
  /** Metadata (`documents`) may contain comments and CDATA, and processing instructions before and after; messages may not. */
  readonly markup: "elements" | "documents";
}

export const MESSAGE_LIMITS: XmlLimits = { bytes: 512 * 1024, depth: 64, nodes: 10_000, attributes: 64, markup: "elements" };
/** This is enough for a provider or a small federation. It is read on the main thread, in some tenths of a second at most. */
export const METADATA_LIMITS: XmlLimits = { bytes: 4 * 1024 * 1024, depth: 64, nodes: 200_000, attributes: 128, markup: "documents" };

type Draft = XmlElement & { children: XmlNode[]; qualifiedName: string };

const QNAME = new RegExp(`(?:(${NCNAME}):)?(${NCNAME})`, "uy");
const SPACE = /[ \t\n]+/y;
const EQUALS = /[ \t\n]*=[ \t\n]*/y;
const VALUE = /"([^<"]*)"|'([^<']*)'/y;
const DECLARATION =
  /^<\?xml[ \t\n]+version[ \t\n]*=[ \t\n]*(["'])1\.0\1(?:[ \t\n]+encoding[ \t\n]*=[ \t\n]*(["'])([A-Za-z][\w.-]*)\2)?(?:[ \t\n]+standalone[ \t\n]*=[ \t\n]*(["'])(?:yes|no)\4)?[ \t\n]*\?>/;
/** RFC 3986 §2, §3.1. */
const ABSOLUTE_URI = /^[A-Za-z][A-Za-z0-9+.-]*:[\w\-.~:/?#[\]@!$&'()*+,;=%]*$/;
const NOTHING_DECLARED: ReadonlyMap<string, string> = new Map();
const REFERENCES = /&(?:(lt|gt|amp|quot|apos)|#([0-9]{1,7})|#x([0-9a-fA-F]{1,6}));/g;
const NO_REFERENCE = /&(?!(?:lt|gt|amp|quot|apos|#[0-9]{1,7}|#x[0-9a-fA-F]{1,6});)/;
const PREDEFINED: Record<string, string> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };

/**
 * Parses XML 1.0 with namespaces, without features that only attackers use. It refuses a document type, so that no entity can be declared (SAML bindings have
 * none), and every encoding but UTF-8. It refuses a document that is not well-formed, and never repairs one.
 */
export const parseXml = (bytes: Uint8Array, limits: XmlLimits): XmlElement => new Parser(decode(bytes, limits), limits).document();

function decode(bytes: Uint8Array, limits: XmlLimits): string {
  if (bytes.byteLength > limits.bytes) throw new SamlError("size", `The document is larger than ${limits.bytes} bytes`);
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new SamlError("encoding", "The document is not UTF-8", { cause });
  }
  if (!isXmlText(text)) throw new SamlError("encoding", "The document holds characters that XML cannot carry");
  // XML 1.0 §2.11
  return text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text;
}

class Parser {
  readonly #text: string;
  readonly #limits: XmlLimits;
  #at = 0;
  #nodes = 0;
  #depth = 0;
  readonly #ids = new Set<string>();

  constructor(text: string, limits: XmlLimits) {
    this.#text = text;
    this.#limits = limits;
  }

  document(): XmlElement {
    this.#xmlDeclaration();
    let root: Draft | null = null;
    let open: Draft | null = null;
    while (this.#at < this.#text.length) {
      if (this.#text.charCodeAt(this.#at) !== 0x3c) {
        this.#characters(open);
      } else if (this.#starts("</")) {
        if (!open) throw this.#malformed("an end tag without its start");
        open = this.#endTag(open);
      } else if (this.#starts("<!") || this.#starts("<?")) {
        this.#markup(open);
      } else {
        if (root && !open) throw this.#malformed("more than one root element");
        const { element, empty } = this.#startTag(open);
        root ??= element;
        open?.children.push(element);
        if (!empty) {
          open = element;
          if (++this.#depth > this.#limits.depth) throw new SamlError("depth", "The elements are nested too deeply");
        }
      }
    }
    if (open || !root) throw this.#malformed(root ? "an element that does not end" : "no element");
    return root;
  }

  #malformed(what: string, reason: SamlReason = "not_well_formed"): SamlError {
    return new SamlError(reason, `The XML has ${what} (at character ${this.#at})`);
  }

  #starts(text: string): boolean {
    return this.#text.startsWith(text, this.#at);
  }

  /** Matches `pattern` at the current position, and moves past it. */
  #take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    if (found) this.#at = pattern.lastIndex;
    return found;
  }

  /** Returns the text up to `end`, and moves past `end`. */
  #upTo(end: string): string {
    const found = this.#text.indexOf(end, this.#at);
    if (found < 0) throw this.#malformed(`no ${end}`);
    const text = this.#text.slice(this.#at, found);
    this.#at = found + end.length;
    return text;
  }

  #countNode(): void {
    if (++this.#nodes > this.#limits.nodes) throw new SamlError("nodes", "The document has too many nodes");
  }

  #xmlDeclaration(): void {
    if (!/^<\?xml[ \t\n?]/.test(this.#text)) return;
    const found = DECLARATION.exec(this.#text.slice(0, 200));
    if (!found) throw this.#malformed("an XML declaration that is not of version 1.0");
    if (found[3] !== undefined && !/^utf-?8$/i.test(found[3])) throw new SamlError("encoding", `The document is ${found[3]}, not UTF-8`);
    this.#at = found[0].length;
  }

  #characters(open: Draft | null): void {
    const end = this.#text.indexOf("<", this.#at);
    const raw = this.#text.slice(this.#at, end < 0 ? undefined : end);
    if (!open) {
      if (/[^ \t\n]/.test(raw)) throw this.#malformed("text outside of the root element");
    } else {
      if (raw.includes("]]>")) throw this.#malformed("]]> in text");
      this.#append(open, this.#expand(raw));
    }
    this.#at += raw.length;
  }

  #append(open: Draft, text: string): void {
    this.#countNode();
    const last = open.children.length - 1;
    // Adjacent text becomes one node, however it was written.
    if (typeof open.children[last] === "string") open.children[last] += text;
    else if (text !== "") open.children.push(text);
  }

  /** Expands character references and the five predefined entities (XML 1.0 §4.1, §4.6). Without a document type there are no others. */
  #expand(raw: string): string {
    if (!raw.includes("&")) return raw;
    // This comes first, because a replacement finds all references before it begins: half a megabyte of them takes long.
    if (NO_REFERENCE.test(raw)) throw this.#malformed("an entity that is not predefined");
    return raw.replace(REFERENCES, (_whole, name, decimal, hex) => {
      if (name) return PREDEFINED[name]!;
      const code = decimal ? Number.parseInt(decimal, 10) : Number.parseInt(hex, 16);
      const character = code <= 0x10ffff ? String.fromCodePoint(code) : "\0";
      if (!isXmlText(character)) throw this.#malformed("a reference to a character that XML cannot carry");
      return character;
    });
  }

  #markup(open: Draft | null): void {
    this.#countNode();
    const documents = this.#limits.markup === "documents";
    if (this.#starts("<!--") && documents) {
      this.#at += 4;
      const comment = this.#upTo("-->");
      if (comment.includes("--") || comment.endsWith("-")) throw this.#malformed("-- in a comment");
      open?.children.push({ comment });
    } else if (this.#starts("<![CDATA[") && documents && open) {
      this.#at += 9;
      this.#append(open, this.#upTo("]]>"));
    } else if (this.#starts("<?") && documents && !open) {
      if (/^<\?xml[^\w.:-]/i.test(this.#text.slice(this.#at, this.#at + 6))) throw this.#malformed("an XML declaration inside");
      this.#upTo("?>");
    } else if (/^<!DOCTYPE/i.test(this.#text.slice(this.#at, this.#at + 9))) {
      throw new SamlError("doctype", "A document type is refused");
    } else {
      throw this.#malformed("a comment, CDATA section or instruction, which is refused here", "forbidden_node");
    }
  }

  #endTag(open: Draft): Draft | null {
    this.#at += 2;
    if (!this.#starts(open.qualifiedName)) throw this.#malformed(`an end tag that is not ${open.qualifiedName}`);
    this.#at += open.qualifiedName.length;
    this.#take(SPACE);
    if (!this.#starts(">")) throw this.#malformed(`an end tag that is not ${open.qualifiedName}`);
    this.#at += 1;
    this.#depth -= 1;
    return open.parent as Draft | null;
  }

  #startTag(parent: Draft | null): { element: Draft; empty: boolean } {
    this.#countNode();
    this.#at += 1;
    const name = this.#take(QNAME);
    if (!name) throw this.#malformed("a tag without a name");
    const written: { prefix: string; local: string; value: string }[] = [];
    let spaced = this.#take(SPACE);
    while (!this.#starts(">") && !this.#starts("/>")) {
      if (!spaced) throw this.#malformed("a tag that does not end");
      if (written.length >= this.#limits.attributes) throw new SamlError("attributes", "An element has too many attributes");
      written.push(this.#attribute());
      spaced = this.#take(SPACE);
    }
    const empty = this.#starts("/>");
    this.#at += empty ? 2 : 1;
    return { element: this.#resolve(parent, name, written), empty };
  }

  #attribute() {
    const name = this.#take(QNAME);
    if (!name || !this.#take(EQUALS)) throw this.#malformed("an attribute without a name or value");
    const value = this.#take(VALUE);
    if (!value) throw this.#malformed("an attribute without a proper value");
    // XML 1.0 §3.3.3: literal whitespace becomes a space; whitespace in a reference stays.
    const raw = (value[1] ?? value[2]!).replace(/[\t\n]/g, " ");
    return { prefix: name[1] ?? "", local: name[2]!, value: this.#expand(raw) };
  }

  /** Namespaces in XML §5, §6. */
  #resolve(parent: Draft | null, name: RegExpExecArray, written: { prefix: string; local: string; value: string }[]): Draft {
    const declarations = this.#declarations(written);
    const attributes: XmlAttribute[] = [];
    const element = {
      prefix: name[1] ?? "",
      local: name[2]!,
      namespace: "",
      attributes,
      declarations,
      parent,
      children: [],
      qualifiedName: name[0],
    };
    for (const { prefix, local, value } of written) {
      if (prefix === "xmlns" || (prefix === "" && local === "xmlns")) continue;
      const namespace = prefix === "" ? "" : this.#namespaceOf(element, prefix);
      if (attributes.some((other) => other.local === local && other.namespace === namespace))
        throw this.#malformed(`the attribute ${local} twice`);
      attributes.push({ prefix, local, namespace, value });
      this.#checkId(local, namespace, value);
    }
    element.namespace = this.#namespaceOf(element, element.prefix);
    return element;
  }

  #namespaceOf(element: XmlElement, prefix: string): string {
    const uri = namespaceAt(element, prefix);
    if (uri === undefined || prefix === "xmlns") throw this.#malformed(`the prefix ${prefix}, which is not declared`);
    return uri;
  }

  #declarations(written: readonly { prefix: string; local: string; value: string }[]): ReadonlyMap<string, string> {
    const declarations = new Map<string, string>();
    for (const { prefix, local, value } of written) {
      if (prefix === "xmlns") this.#declare(declarations, local, value);
      else if (prefix === "" && local === "xmlns") this.#declare(declarations, "", value);
    }
    return declarations.size > 0 ? declarations : NOTHING_DECLARED;
  }

  /**
   * Adds a namespace declaration (Namespaces in XML §3). It refuses relative names, about which Canonical XML 1.0 §1.3 says nothing, and names that are no URI,
   * which libxml2 refuses.
   */
  #declare(declarations: Map<string, string>, prefix: string, uri: string): void {
    const right = prefix === "xml" ? uri === NS.xml : uri !== NS.xml && uri !== XMLNS && prefix !== "xmlns";
    const named = uri === "" ? prefix === "" : ABSOLUTE_URI.test(uri);
    if (!right || !named || declarations.has(prefix))
      throw this.#malformed(`a declaration of ${prefix || "the default namespace"} that is not valid`);
    declarations.set(prefix, uri);
  }

  /** Checks that an ID is unique in its document (SAML core §1.3.4). Other libraries resolve `Id`, `id` and `xml:id` as well, so these are checked, too. */
  #checkId(local: string, namespace: string, value: string): void {
    if (local.length !== 2 || local.toLowerCase() !== "id") return;
    if (namespace !== "") throw new SamlError("namespaced_id", "An ID attribute has a namespace");
    if (this.#ids.has(value)) throw new SamlError("duplicate_id", "The same ID stands twice in the document");
    this.#ids.add(value);
  }
}
