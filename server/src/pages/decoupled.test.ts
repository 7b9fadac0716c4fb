import { describe, expect, test } from "vitest";
import { type Branding, CLASS_NAMES, renderCiba, renderDevice, renderMessage } from "./index.ts";

const branding: Branding = {
  ...{ realmId: "acme", displayName: "Acme", logoUrl: null, primaryColor: "#0f766e" },
  ...{ backgroundColor: null, welcomeText: null, customCss: null },
};
const HOSTILE = `"><script>alert(1)</script><img src=x onerror='alert(2)'>`;
const expected = {
  scopes: [
    { name: "openid", text: null },
    { name: "x", text: HOSTILE },
  ],
  claims: [HOSTILE],
  details: [HOSTILE],
  agent: { name: HOSTILE, owner: HOSTILE },
  apis: [
    { name: HOSTILE, address: HOSTILE },
    { name: null, address: HOSTILE },
  ],
};
const frame = { branding, locale: "nl" } as const;
const form = { csrf: HOSTILE, action: "/here" };

const pages = {
  enter: renderDevice({ ...frame, ...form, state: "enter", userCode: HOSTILE, error: "unknown" }),
  confirm: renderDevice({ ...frame, ...form, ...expected, state: "confirm", userCode: "BCDF-GHJK", client: HOSTILE, account: HOSTILE }),
  list: renderCiba({
    ...frame,
    state: "list",
    account: HOSTILE,
    requests: [{ href: "javascript:alert(1)", client: HOSTILE, message: HOSTILE }],
  }),
  request: renderCiba({ ...frame, ...form, ...expected, state: "confirm", client: HOSTILE, account: HOSTILE, message: HOSTILE }),
  allowed: renderMessage({ ...frame, kind: "ciba-allowed", values: { client: HOSTILE }, back: { href: "/list", label: "requestsAll" } }),
};

describe("pages for what waits elsewhere", () => {
  test.each(Object.keys(pages) as (keyof typeof pages)[])("keep hostile text text: %s", (name) => {
    const html = pages[name];
    expect(html).not.toMatch(/<script|<img src=x|href="javascript:/i);
    expect(html).toContain("&lt;script>");
    expect(html).toContain('<html lang="nl"');
    const used = [...html.matchAll(/ class="([^"]*)"/g)].flatMap(([, classes]) => classes!.split(" "));
    expect(used.filter((each) => !Object.hasOwn(CLASS_NAMES, each))).toEqual([]);
  });

  test("say when to come again", () => {
    const html = renderDevice({ ...frame, locale: "en", ...form, state: "enter", userCode: "", error: "wait", retryAfterSeconds: 120 });
    expect(html).toContain("Try again in 2 minutes");
  });
});
