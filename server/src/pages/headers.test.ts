import Fastify from "fastify";
import { afterAll, describe, expect, test } from "vitest";
import { type PageHeaderOptions, pageHeaders, sendPage } from "./index.ts";

const nonce = "c29tZSByYW5kb20gYnl0ZXM=";
const policyOf = (options: Omit<PageHeaderOptions, "nonce"> = {}): Record<string, string> =>
  Object.fromEntries(
    pageHeaders({ nonce, ...options })
      ["content-security-policy"]!.split("; ")
      .map((directive) => [directive.slice(0, directive.indexOf(" ")), directive.slice(directive.indexOf(" ") + 1)]),
  );

describe("the content security policy", () => {
  test("allows our style sheet, our images and our form, and nothing else", () => {
    expect(policyOf()).toEqual({
      "default-src": "'none'",
      "script-src": `'nonce-${nonce}'`,
      "style-src": "'self'",
      "img-src": "'self' data:",
      "form-action": "'self'",
      "frame-ancestors": "'none'",
      "base-uri": "'none'",
    });
  });

  test("lets apps be called back by their scheme, and names no other site", () => {
    const callbacks = ["com.example.app:/cb", "https://app.example:8443/callback?x=y", "http://localhost:3000", "http://[::1]:5000/cb"];
    expect(policyOf({ callbacks })["form-action"]).toBe("'self' com.example.app:");
    expect(policyOf({ postsElsewhere: true })).not.toHaveProperty("form-action");
  });

  test.each([
    "https://a;script-src *",
    "https://a;b",
    "https://a,b",
    "https://a'b",
    "javascript:alert(1)",
    "data:text/html,x",
    "blob:https://a/b",
    "not a url",
    "*",
    "https://*",
    "'unsafe-inline'",
    "",
  ])("cannot be widened by the target %j", (target) => {
    const policy = policyOf({ callbacks: [target] });
    expect(policy["form-action"]).toBe("'self'");
    expect(Object.keys(policy)).toHaveLength(7);
  });

  test("names the logo's origin when it is https", () => {
    expect(policyOf({ logoUrl: "https://cdn.example/logo.svg" })["img-src"]).toBe("'self' data: https://cdn.example");
    for (const logoUrl of ["http://cdn.example/l.svg", "//cdn.example/l.svg", "/logo.svg", "https://a;b/x", "https://*/x", null]) {
      expect(policyOf({ logoUrl })["img-src"], String(logoUrl)).toBe("'self' data:");
    }
  });

  test.each(["", "short", "abc'; script-src *; x='0123456789", "0123456789 0123456789"])("refuses the nonce %j", (bad) => {
    expect(() => pageHeaders({ nonce: bad })).toThrow(TypeError);
  });
});

test("pages are never stored, framed, sniffed or referred from", () => {
  expect(pageHeaders({ nonce })).toMatchObject({
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
    "permissions-policy": expect.stringContaining("camera=()"),
  });
});

describe("sendPage", () => {
  const app = Fastify();
  app.get("/page", (_request, reply) => sendPage(reply, 503, "<p>é</p>", { retryAfterSeconds: 1.2, callbacks: ["com.example.app:/cb"] }));
  afterAll(() => app.close());

  test("sends the page with status, type and headers, and a new nonce each time", async () => {
    const [first, second] = await Promise.all([app.inject("/page"), app.inject("/page")]);
    expect(first).toMatchObject({ statusCode: 503, body: "<p>é</p>" });
    expect(first.headers).toMatchObject({ "content-type": "text/html; charset=utf-8", "cache-control": "no-store", "retry-after": "2" });
    expect(first.headers["content-security-policy"]).toContain("form-action 'self' com.example.app:");
    expect(first.headers["content-security-policy"]).not.toBe(second.headers["content-security-policy"]);
  });
});
