import { describe, expect, test } from "vitest";
import { encodeFilter, FilterSyntaxError, parseFilter, parseTemplate } from "./filter.ts";

const hex = (written: string) => encodeFilter(parseFilter(written)).toString("hex");

describe("filters", () => {
  test.each([
    // Written out by hand from RFC 4511 §4.5.1.7.
    ["(uid=anna)", "a30b0403756964", "0404616e6e61"],
    ["(uid=*)", "8703756964", ""],
    ["(cn=a*b*c)", "a40f0402636e3009", "800161810162820163"],
    ["(!(cn=x))", "a209a3070402636e", "040178"],
    ["(&(a=b)(c=d))", "a010", "a306040161040162a306040163040164"],
    ["(|(a=b))", "a108", "a306040161040162"],
    ["(a>=1)", "a506040161", "040131"],
    ["(a<=1)", "a606040161", "040131"],
    ["(a~=1)", "a806040161", "040131"],
    ["(member:1.2.3:=x)", "a912", "8105312e322e3382066d656d626572830178"],
    ["(o:dn:=x)", "a909", "82016f8301788401ff"],
    ["(cn=\\2a\\28\\00)", "a3090402636e", "04032a2800"],
  ])("%s", (written, start, end) => {
    expect(hex(written)).toBe(start + end);
  });

  test.each([
    "",
    "uid=x",
    "(uid=x",
    "(&(uid=x)(objectClass=person)",
    "(uid=x))",
    " (uid=x)",
    "(&)",
    "(uid)",
    "(=x)",
    "(u id=x)",
    "({0}=x)",
    "(uid=x(y)",
    "(uid=a\\zz)",
    "(uid=a\\2)",
    "(uid=a\0)",
    "(uid=a**b)",
    "(:=x)",
    `${"(!".repeat(30)}(a=b)${")".repeat(30)}`,
    `(uid=${"x".repeat(5_000)})`,
  ])("refuses %j", (written) => {
    expect(() => parseTemplate(written)).toThrow(FilterSyntaxError);
  });
});

describe("templates", () => {
  test.each(["*", "*)(uid=*", "a*b(c)", "\\2a", "$&", "{0}", "comma, joe", "jörg"])("the name %s is a value, whatever it says", (name) => {
    const filled = parseTemplate("(&(objectClass=person)(|(uid={0})(mail={0}@corp.test)))").of(name);
    expect(filled).toMatchObject({
      kind: "and",
      filters: [
        { kind: "equal", attribute: "objectClass" },
        {
          kind: "or",
          filters: [
            { kind: "equal", attribute: "uid", value: Buffer.from(name) },
            { kind: "equal", attribute: "mail", value: Buffer.from(`${name}@corp.test`) },
          ],
        },
      ],
    });
  });

  test.each([
    ["(uid={0})", "(uid=*)"],
    ["(&(objectClass=person)(uid={0}))", "(&(objectClass=person)(uid=*))"],
    ["(|(sAMAccountName={0})(userPrincipalName={0}@x))", "(|(sAMAccountName=*)(userPrincipalName=*@x))"],
    ["(uid=a{0}b)", "(uid=a*b)"],
    ["(uid=*{0}*)", "(uid=*)"],
    ["(&(uid={0})(!(disabled=1)))", "(&(uid=*)(!(disabled=1)))"],
  ])("%s for any name is %s", (written, anyName) => {
    expect(encodeFilter(parseTemplate(written).all!).toString("hex")).toBe(hex(anyName));
  });

  test.each(["(uid:caseIgnoreMatch:={0})", "(uid>={0})", "(!(uid={0}))"])("%s has no form for any name", (written) => {
    expect(parseTemplate(written)).toMatchObject({ all: null, hasPlaceholder: true });
  });

  test("a filter without the name is noticed", () => {
    expect(parseTemplate("(uid=x)").hasPlaceholder).toBe(false);
  });
});
