import { describe, expect, test } from "vitest";
import { xmllintPath } from "../../../../test/peers/index.mjs";
import { seededRandom } from "../../../testing/api-driver/random.ts";
import { leastCpuTime } from "../../../testing/cpu-time.ts";
import { xmllintCanonical, xmllintReads } from "../../../testing/saml-peers.ts";
import { SamlError } from "../errors.ts";
import { canonicalize } from "./canonical.ts";
import { MESSAGE_LIMITS, METADATA_LIMITS, parseXml } from "./parse.ts";
import { attributeOf, elementsOf, textOf } from "./tree.ts";
import { element, render } from "./write.ts";

const bytes = (xml: string) => Buffer.from(xml);
const parse = (xml: string, limits = MESSAGE_LIMITS) => parseXml(bytes(xml), limits);
const canonical = (xml: string, options = {}) => canonicalize(parse(xml, METADATA_LIMITS), { comments: true, maxLength: 1e6, ...options });
const reasonOf = (work: () => unknown): string => {
  try {
    work();
  } catch (error) {
    if (error instanceof SamlError) return error.reason;
    throw error;
  }
  return "accepted";
};

describe("reading", () => {
  test("expands references, normalises line ends and attribute whitespace", () => {
    const root = parse(`<?xml version="1.0" encoding="UTF-8"?>\n<a b="1\n2&#10;3&lt;" c='"'>x\r\ny&#13;&amp;&#x1F600;</a>\n`);
    expect(attributeOf(root, "b")).toBe("1 2\n3<");
    expect(attributeOf(root, "c")).toBe('"');
    expect(textOf(root)).toBe("x\ny\r&😀");
  });

  test("resolves namespaces, default ones and those that are taken back", () => {
    const [b, c] = elementsOf(parse('<a xmlns="urn:1" xmlns:p="urn:2"><p:b xmlns:p="urn:3"/><c xmlns=""/></a>'));
    expect([b!.namespace, c!.namespace]).toEqual(["urn:3", ""]);
  });

  const refused: [what: string, reason: string, xml: string | Uint8Array][] = [
    ["a document type", "doctype", "<!DOCTYPE a><a/>"],
    ["a document type in small letters", "doctype", "<!doctype a><a/>"],
    ["an external entity", "doctype", '<!DOCTYPE a [<!ENTITY e SYSTEM "file:///etc/passwd">]><a>&e;</a>'],
    ["an entity bomb", "doctype", '<!DOCTYPE a [<!ENTITY b "bb"><!ENTITY c "&b;&b;">]><a>&c;</a>'],
    ["an entity that nothing declares", "not_well_formed", "<a>&e;</a>"],
    ["a bare ampersand", "not_well_formed", "<a>b & c</a>"],
    ["a comment", "forbidden_node", "<a>b<!-- -->c</a>"],
    ["a comment before the root", "forbidden_node", "<!-- --><a/>"],
    ["an instruction", "forbidden_node", "<a><?b c?></a>"],
    ["CDATA", "forbidden_node", "<a><![CDATA[b]]></a>"],
    ["two roots", "not_well_formed", "<a/><a/>"],
    ["text after the root", "not_well_formed", "<a/>b"],
    ["nothing", "not_well_formed", ""],
    ["an element that does not end", "not_well_formed", "<a><b></b>"],
    ["crossed elements", "not_well_formed", "<a><b></a></b>"],
    ["an end tag that only begins like its start", "not_well_formed", "<a></ab>"],
    ["an attribute twice", "not_well_formed", '<a b="1" b="2"/>'],
    ["an attribute twice by namespace", "not_well_formed", '<a xmlns:p="urn:1" xmlns:q="urn:1" p:b="1" q:b="2"/>'],
    ["an attribute without quotes", "not_well_formed", "<a b=1/>"],
    ["attributes without a space", "not_well_formed", '<a b="1"c="2"/>'],
    ["< in an attribute", "not_well_formed", '<a b="<"/>'],
    ["]]> in text", "not_well_formed", "<a>]]></a>"],
    ["a prefix that is not declared", "not_well_formed", "<p:a/>"],
    ["two colons", "not_well_formed", '<p:a:b xmlns:p="urn:1"/>'],
    ["a prefix taken back", "not_well_formed", '<a xmlns:p=""/>'],
    ["another namespace called xml", "not_well_formed", '<a xmlns:xml="urn:1"/>'],
    ["xmlns declared", "not_well_formed", '<a xmlns:xmlns="urn:1"/>'],
    ["a namespace that is no URI", "not_well_formed", '<a xmlns="urn: 1"/>'],
    ["a relative namespace", "not_well_formed", '<a xmlns="b"/>'],
    ["XML 1.1", "not_well_formed", '<?xml version="1.1"?><a/>'],
    ["Latin 1", "encoding", '<?xml version="1.0" encoding="ISO-8859-1"?><a/>'],
    ["UTF-7", "encoding", '<?xml version="1.0" encoding="UTF-7"?><a/>'],
    ["UTF-16", "encoding", Buffer.from("\ufeff<a/>", "utf16le")],
    ["bytes that are not UTF-8", "encoding", Buffer.from([0x3c, 0x61, 0x3e, 0xc0, 0x80, 0x3c, 0x2f, 0x61, 0x3e])],
    ["NUL", "encoding", "<a>\0</a>"],
    ["a control character", "encoding", "<a>\x01</a>"],
    ["NUL as a reference", "not_well_formed", "<a>&#0;</a>"],
    ["half a surrogate pair as a reference", "not_well_formed", "<a>&#xD800;</a>"],
    ["a reference beyond Unicode", "not_well_formed", "<a>&#x110000;</a>"],
    ["the same ID twice", "duplicate_id", '<a ID="x"><b ID="x"/></a>'],
    ["the same ID in other letters", "duplicate_id", '<a ID="x"><b Id="x"/></a>'],
    ["an ID in a namespace", "namespaced_id", '<a xmlns:p="urn:1" p:ID="x"/>'],
    ["xml:id", "namespaced_id", '<a xml:id="x"/>'],
    ["too many bytes", "size", `<a>${"b".repeat(MESSAGE_LIMITS.bytes)}</a>`],
    ["too deep", "depth", "<a>".repeat(20_000) + "</a>".repeat(20_000)],
    ["too many nodes", "nodes", `<a>${"<b/>".repeat(MESSAGE_LIMITS.nodes)}</a>`],
    ["too many attributes", "attributes", `<a ${Array.from({ length: 100 }, (_, i) => `b${i}="1"`).join(" ")}/>`],
    ["too many namespaces", "attributes", `<a ${Array.from({ length: 100 }, (_, i) => `xmlns:b${i}="urn:1"`).join(" ")}/>`],
  ];

  test.each(refused)("refuses %s", (_, reason, xml) => {
    expect(reasonOf(() => parseXml(typeof xml === "string" ? bytes(xml) : xml, MESSAGE_LIMITS))).toBe(reason);
  });

  test("stops at the first reference that is none", async () => {
    const reading = (character: string) => async () => void reasonOf(() => parse(`<a>${character.repeat(300_000)}</a>`));
    const [text, references] = await leastCpuTime(reading("x"), reading("&"));
    expect(references).toBeLessThan(20 * text!);
  });

  test("lets comments and CDATA pass in metadata, but no document type", () => {
    const root = parse('<?xml-stylesheet href="x"?><!-- a --><a>b<!-- c --><![CDATA[<d>]]></a><!-- e -->', METADATA_LIMITS);
    expect(root.children).toEqual(["b", { comment: " c " }, "<d>"]);
    expect(reasonOf(() => parse("<!DOCTYPE a><a/>", METADATA_LIMITS))).toBe("doctype");
    expect(reasonOf(() => parse("<a><!-- a -- b --></a>", METADATA_LIMITS))).toBe("not_well_formed");
    expect(reasonOf(() => parse("<a><?b c?></a>", METADATA_LIMITS))).toBe("forbidden_node");
  });

  test("a document at the limits that redeclares its namespaces everywhere is read and canonicalized in seconds", () => {
    const namespaces = Array.from({ length: 60 }, (_, i) => ` xmlns:n${i}="urn:${i}"`).join("");
    const deep = Array.from({ length: 60 }, () => `<a${namespaces}>`).join("");
    const wide = '<n59:b xmlns:n59="urn:y"/>'.repeat(9_000);
    const started = performance.now();
    const root = parse(`${deep}${wide}${"</a>".repeat(60)}`);
    canonicalize(root, { maxLength: 4 * MESSAGE_LIMITS.bytes });
    expect(performance.now() - started).toBeLessThan(100_000);
  });
});

describe("exclusive canonical XML", () => {
  const documents = [
    '<a  c="1"   b="2" ><b/></a >',
    '<n1:a xmlns:n1="urn:1" xmlns:n0="urn:0" n0:z="1" a="2" n1:a="3"><n1:b n0:c="d"/><n0:b/></n1:a>',
    '<a xmlns="urn:1"><b xmlns="urn:2"><c xmlns=""><d xmlns="urn:1"/></c></b><e/></a>',
    '<a xmlns:p="urn:1"><p:b/><p:b xmlns:p="urn:2"><p:c/></p:b><b p:c="1"><p:d/></b></a>',
    "<a>&lt;&gt;&amp;&quot;&apos;&#13;\r\n\t x</a>",
    `<a b="&lt;>&amp;&quot;'&#9;&#10;&#13; x\ty"/>`,
    "<a>b<!-- c --><![CDATA[<d>&]]>e<!----></a>",
    '<a xml:lang="en"><b xml:space="preserve" z="1"/></a>',
    '<é:à xmlns:é="urn:e" 漢="字" é:b="1">😀</é:à>',
    '<a xmlns:b="urn:2" xmlns:c="urn:1" b:x="1" c:x="2" x="3" y="4" X="5"/>',
    '<a xmlns="urn:1" xmlns:p="urn:1"><p:b/><b p:c="1"/></a>',
    '<?xml version="1.0"?>\n<?pi x?>\n<a>\n <b/>\n</a>\n',
  ];

  test.skipIf(!xmllintPath()).each(documents)("is what libxml2 makes of %s", (xml) => {
    // libxml2 canonicalizes the document, with the instructions around its root.
    expect(canonical(xml)).toBe(xmllintCanonical(xml).replace(/^<\?pi x\?>\n/, ""));
  });

  test("leaves comments out where the algorithm does", () => {
    expect(canonical("<a>b<!-- c -->d</a>", { comments: false })).toBe("<a>bd</a>");
  });

  test("declares the prefixes of InclusiveNamespaces wherever they are in scope", () => {
    const root = parse('<a xmlns="urn:d" xmlns:xs="urn:xs" xmlns:q="urn:q"><p:b xmlns:p="urn:p"><p:c t="xs:string"/></p:b></a>');
    const [b] = elementsOf(root);
    const of = (inclusivePrefixes: string[]) => canonicalize(b!, { inclusivePrefixes, maxLength: 1e6 });
    expect(of([])).toBe('<p:b xmlns:p="urn:p"><p:c t="xs:string"></p:c></p:b>');
    expect(of(["xs", "unknown"])).toBe('<p:b xmlns:p="urn:p" xmlns:xs="urn:xs"><p:c t="xs:string"></p:c></p:b>');
    expect(of(["", "xs"])).toBe('<p:b xmlns="urn:d" xmlns:p="urn:p" xmlns:xs="urn:xs"><p:c t="xs:string"></p:c></p:b>');
    const [inner] = elementsOf(parse('<a xmlns:xs="urn:xs"><b><c xmlns:xs="urn:other"><d/></c><c/></b></a>'));
    expect(canonicalize(inner!, { inclusivePrefixes: ["xs"], maxLength: 1e6 })).toBe(
      '<b xmlns:xs="urn:xs"><c xmlns:xs="urn:other"><d></d></c><c></c></b>',
    );
  });

  test("a long list of prefixes does not multiply the work", async () => {
    const root = parse(`<a>${("<b>".repeat(60) + "</b>".repeat(60)).repeat(150)}</a>`);
    const inclusivePrefixes = Array.from({ length: 32 }, (_, n) => `p${n}`);
    const form = (options: object) => async () => canonicalize(root, { ...options, maxLength: 1e6 });
    const [without, withList] = await leastCpuTime(form({}), form({ inclusivePrefixes }));
    expect(withList).toBeLessThan(10 * without!);
  });

  test("refuses a canonical form that is far larger than the document", () => {
    const uri = `urn:${"x".repeat(10_000)}`;
    const root = parse(`<a xmlns:p="${uri}">${"<p:b/>".repeat(5_000)}</a>`);
    expect(reasonOf(() => canonicalize(root, { maxLength: 4 * MESSAGE_LIMITS.bytes }))).toBe("size");
  });
});

describe("writing", () => {
  const fragment = element(
    "samlp:Response",
    { ID: "_1", Destination: 'https://a/?b&c="\t\n' },
    element("saml:Issuer", {}, "a<b>&]]>\r"),
    element("saml:Assertion", {}, element("saml:Issuer", { "xml:lang": "en", Format: "x" }, "😀"), null, false),
    element("samlp:Status"),
  );

  test("is in canonical form already", () => {
    expect(canonicalize(parse(render(fragment)), { maxLength: 1e6 })).toBe(render(fragment));
  });

  test("refuses what XML cannot carry", () => {
    expect(() => render(element("saml:Issuer", {}, "a\0"))).toThrow(TypeError);
    expect(() => render(element("saml:Issuer", { Format: "\ud800" }))).toThrow(TypeError);
  });
});

test.skipIf(!xmllintPath())("whatever it reads, libxml2 reads too, and to the same canonical form", () => {
  const next = seededRandom(16).below;
  const good = '<p:a xmlns:p="urn:1" xmlns="urn:2" b="c&amp;" p:d="e"><f>g &lt; h</f><p:i xmlns:p="urn:3" ID="j"/>k</p:a>';
  const pieces = ["<", ">", "/", '"', "&", ";", "p:", " ", "xmlns", "=", "ID", "<!--", "]]>", "&#10;", "é", "\t", "<f/>"];
  let read = 0;
  for (let round = 0; round < 400; round++) {
    let xml = good;
    for (let times = 1 + next(2); times > 0; times--) {
      const at = next(xml.length);
      xml = xml.slice(0, at) + pieces[next(pieces.length)] + xml.slice(at + next(3));
    }
    if (reasonOf(() => parse(xml)) !== "accepted") continue;
    read += 1;
    expect(xmllintReads(xml), xml).toBe(true);
    expect(canonical(xml), xml).toBe(xmllintCanonical(xml));
  }
  expect(read).toBeGreaterThan(20);
});
