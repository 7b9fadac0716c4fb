import { crc32, deflateSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { leastCpuTime } from "../../testing/cpu-time.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import type { AdminClient, RealmUnderTest } from "../../testing/realm.ts";

let iam: SharedHarness;
let realm: RealmUnderTest;
let admin: AdminClient;
beforeAll(async () => {
  iam = await sharedHarness();
  realm = await iam.realm();
  admin = await realm.as("manage-realm");
});
afterAll(() => iam?.close());

const PNG = { headers: { "content-type": "image/png" } };
const SVG = { headers: { "content-type": "image/svg+xml" } };
const chunk = (type: string, content: Buffer | string = "") => {
  const named = Buffer.concat([Buffer.from(type), Buffer.from(content)]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(named.length - 4);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
};
const header = (width: number, height: number, kind = [8, 6, 0, 0, 0]) => {
  const data = Buffer.alloc(13);
  data.writeUInt32BE(width, 0);
  data.writeUInt32BE(height, 4);
  data.set(kind, 8);
  return chunk("IHDR", data);
};
const SIGNATURE = Buffer.from("89504e470d0a1a0a", "hex");
const pixels = (width: number, height: number, bytes = 4) => chunk("IDAT", deflateSync(Buffer.alloc(height * (1 + width * bytes))));
const png = (...chunks: Buffer[]) => Buffer.concat([SIGNATURE, ...chunks, chunk("IEND")]);
const small = png(header(3, 2), pixels(3, 2));
const svg = (inside: string, attributes = "") =>
  `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 40 20" ${attributes}>${inside}</svg>`;
const publicOf = (name: string, query = "") => iam.browser().get(`/realms/${realm.name}/images/${name}${query}`);

describe("an image", () => {
  test("is stored for a realm, becomes its logo, is served to everyone, and is deleted", async () => {
    const own = await iam.realm();
    const manager = await own.as("manage-realm");
    const before = (await manager.get("/settings")).headers.etag;
    const stored = await manager.put("/settings/images/logo", small, PNG);
    expect(stored.body).toMatchObject({ name: "logo", mediaType: "image/png", width: 3, height: 2 });
    expect((await manager.get("/settings/images")).body).toEqual([stored.body]);
    expect((await manager.get("/settings/images/logo")).body).toEqual(stored.body);
    const settings = await manager.get("/settings");
    expect(settings.body.logoUrl).toBe(`/realms/${own.name}/images/logo`);
    expect(settings.headers.etag).not.toBe(before);
    expect((await own.events("type=ADMIN_UPDATE"))[0]).toMatchObject({ detail: "image logo", resourceType: "settings" });

    const browser = iam.browser();
    const served = await browser.get(stored.body.href);
    expect(served).toMatchObject({
      status: 200,
      headers: {
        "content-type": "image/png",
        "x-content-type-options": "nosniff",
        "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
        "cache-control": "public, max-age=31536000, immutable",
      },
    });
    const path = stored.body.href.split("?")[0];
    const short = await browser.get(path, { headers: { "if-none-match": `W/${served.headers.etag}` } });
    expect([short.status, short.headers["cache-control"]]).toEqual([304, "public, max-age=60"]);
    expect((await browser.get(`/realms/${own.name}/login`)).text).toContain(`src="${stored.body.href}"`);

    // The same settings again, by hand, and a logo elsewhere.
    expect((await manager.put("/settings", settings.body)).status).toBe(200);
    const elsewhere = { ...settings.body, logoUrl: "https://cdn.example/logo.png" };
    await manager.put("/settings", elsewhere);
    expect((await browser.get(`/realms/${own.name}/login`)).text).toContain("https://cdn.example/logo.png");
    expect((await manager.delete("/settings/images/logo")).status).toBe(204);
    expect((await manager.get("/settings")).body.logoUrl).toBe("https://cdn.example/logo.png");
    await manager.put("/settings/images/logo", small, PNG);
    expect((await manager.delete("/settings/images/logo")).status).toBe(204);
    expect((await manager.get("/settings")).body.logoUrl).toBeNull();
    expect((await browser.get(path)).status).toBe(404);
    expect((await manager.delete("/settings/images/logo")).body.code).toBe("images.not_found");
  });

  test("covers the page behind the card, by an address that changes with it", async () => {
    const own = await iam.realm();
    const manager = await own.as("manage-realm");
    const sheet = async () => (await iam.browser().get(`/realms/${own.name}/theme.css`)).text;
    expect(await sheet()).toContain("--gh-backdrop: radial-gradient");
    const { body } = await manager.put("/settings/images/background", svg('<rect width="4" height="4"/>'), SVG);
    expect(body.href).toMatch(/\/images\/background\?v=/);
    expect(await sheet()).toContain(`--gh-backdrop: url("${body.href}") center / cover`);
    expect((await manager.get("/settings/draft/theme.css")).text).toContain(body.href);
    await manager.delete("/settings/images/background");
    expect(await sheet()).toContain("--gh-backdrop: radial-gradient");
  });

  test("is for managers of the realm, of a known name, of a known type, and not too large", async () => {
    const viewer = await realm.as("view-users", "manage-users");
    expect((await viewer.put("/settings/images/logo", small, PNG)).status).toBe(403);
    expect((await viewer.delete("/settings/images/logo")).status).toBe(403);
    expect((await admin.put("/settings/images/banner", small, PNG)).status).toBe(404);
    expect((await admin.put("/settings/images/logo", small, { headers: { "content-type": "image/jpeg" } })).status).toBe(415);
    expect((await admin.put("/settings/images/logo", Buffer.alloc(512 * 1024 + 1), PNG)).status).toBe(413);
    expect((await admin.put("/settings/images/logo", "", PNG)).status).toBe(400);
    expect((await publicOf("logo")).status).toBe(404);
    expect((await publicOf("__proto__")).status).toBe(404);
  });

  test("is seen by every node at once", async () => {
    const node = await iam.secondNode();
    const elsewhere = iam.browser().elsewhere(node.server.app);
    const shown = async () => (await elsewhere.get(`/realms/${realm.name}/images/favicon`)).headers.etag;
    expect(await shown()).toBeUndefined();
    for (const width of [1, 2]) {
      const { body } = await admin.put("/settings/images/favicon", png(header(width, 1), pixels(width, 1)), PNG);
      await expect.poll(shown).toBe(`"${body.href.split("v=")[1]}"`);
    }
  });
});

describe("a PNG", () => {
  const put = (body: Buffer) => admin.put("/settings/images/logo-dark", body, PNG);

  test("keeps its pixels and nothing else", async () => {
    const secret = "51.5N 0.1W <script>";
    const full = png(header(3, 2), chunk("tEXt", secret), chunk("gAMA", Buffer.alloc(4)), pixels(3, 2), chunk("eXIf", secret));
    const { body } = await put(Buffer.concat([full, Buffer.from(`PK\u0003\u0004 ${secret}`)]));
    expect(body).toMatchObject({ width: 3, height: 2 });
    const { text } = await iam.browser().get(body.href);
    expect(text).toContain("gAMA");
    expect(text).not.toMatch(/tEXt|eXIf|script|PK/);
    expect((await put(png(header(5, 5, [8, 6, 0, 0, 1]), chunk("IDAT", deflateSync(Buffer.alloc(11 + 100)))))).status, "interlaced").toBe(
      200,
    );
  });

  test("that is not one, or is larger than it looks, is refused with the reason", async () => {
    const broken = Buffer.from(small);
    broken[20]! ^= 1;
    const bomb = png(header(3, 2), chunk("IDAT", deflateSync(Buffer.alloc(50_000_000))));
    const cases: [Buffer, RegExp][] = [
      [Buffer.from("GIF89a"), /not a PNG/],
      [Buffer.from(svg("<path d='M0 0'/>")), /not a PNG/],
      [SIGNATURE, /ends too early/],
      [broken, /checksum/],
      [bomb, /cannot be read/],
      [png(header(3, 3), pixels(3, 2)), /fewer pixels/],
      [png(header(2049, 1), pixels(2049, 1)), /2049 by 1 pixels/],
      [png(header(0, 1), pixels(0, 1)), /0 by 1 pixels/],
      [png(header(3, 2, [8, 3, 0, 0, 0]), pixels(3, 2, 1)), /no palette/],
      [png(header(3, 2, [7, 6, 0, 0, 0]), pixels(3, 2)), /kind that does not exist/],
      [png(header(3, 2)), /no pixels/],
      [png(header(3, 2), chunk("EVIL"), pixels(3, 2)), /EVIL/],
      [png(header(3, 2), chunk("IDAT", deflateSync(Buffer.alloc(26, 9)))), /cannot be read/],
    ];
    for (const [body, reason] of cases) {
      const answer = await put(body);
      expect([answer.status, answer.body.code], String(reason)).toEqual([400, "images.invalid"]);
      expect(answer.body.errors).toMatchObject([{ field: "body", message: expect.stringMatching(reason) }]);
    }
  });
});

describe("an SVG", () => {
  const put = (body: string) => admin.put("/settings/images/logo", body, SVG);

  test("is written anew, without the notes of editors", async () => {
    const { body } = await put(
      `<?xml version="1.0" encoding="UTF-8"?><!-- by an editor -->${svg(
        `<metadata><x:rdf xmlns:x="urn:x">who</x:rdf></metadata><x:view xmlns:x="urn:x" x:grid="1"/>
         <style>/* a */ .a { fill: url(#g); }</style><defs><linearGradient id="g"><stop offset="0" stop-color="#f00"/></linearGradient></defs>
         <g id="b" data-name="Layer 1"><path class="a" d="M0 0h9v9z" style="opacity:.5"/></g><use xlink:href="#b" x="9"/><text>A &amp; B</text>`,
        'xmlns:x="urn:x" x:version="1"',
      )}`,
    );
    expect(body).toMatchObject({ mediaType: "image/svg+xml", width: 40, height: 20 });
    const { text, headers } = await iam.browser().get(body.href);
    expect(headers["content-type"]).toBe("image/svg+xml");
    expect(text.replace(/\s+/g, " ").trim()).toBe(
      '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20" viewBox="0 0 40 20"> <style>.a{fill: url(#g);}</style><defs><linearGradient id="g"><stop offset="0" stop-color="#f00"/></linearGradient></defs> <g id="b"><path class="a" d="M0 0h9v9z" style="opacity:.5"/></g><use href="#b" x="9"/><text>A &amp; B</text></svg>',
    );
    expect((await put(text)).body.href, "and once is enough").toBe(body.href);
  });

  test.each([
    ["a long word in an attribute", (length: number) => svg(`<path d="${"M".repeat(length)}"/>`)],
    ["a long word in a style sheet", (length: number) => svg(`<style>${"a".repeat(length)}</style>`)],
    ["a long number as its size", (length: number) => svg("", `width="${"1".repeat(length)}x"`)],
    ["many comments without an end", (length: number) => svg(`<style>${"/*".repeat(length / 2)}</style>`)],
  ])("with %s is read in one go", async (_, of) => {
    const putting = (length: number) => () => admin.put("/settings/images/logo", Buffer.from(of(length)), SVG);
    const [short, long] = await leastCpuTime(putting(100), putting(20_000));
    expect(long).toBeLessThan(10 * short!);
  });

  test("with anything that runs, loads or leads elsewhere is refused by name", async () => {
    const cases: [string, RegExp][] = [
      [svg("<script>alert(1)</script>"), /<script>/],
      [svg("<foreignObject/>"), /<foreignObject>/],
      [svg('<h:iframe xmlns:h="http://www.w3.org/1999/xhtml"/>'), /<h:iframe>/],
      [svg('<s:script xmlns:s="http://www.w3.org/2000/svg">1</s:script>'), /<s:script>/],
      [svg('<path d="M0 0" onload="alert(1)"/>'), /onload/],
      [svg("", 'ONLOAD="alert(1)"'), /ONLOAD/],
      [svg('<a href="https://evil.example"/>'), /<a>/],
      [svg('<image href="data:image/png;base64,AA"/>'), /<image>/],
      [svg('<animate attributeName="href" to="javascript:1"/>'), /<animate>/],
      [svg('<set attributeName="onload" to="x"/>'), /<set>/],
      [svg('<use href="https://evil.example/x.svg#a"/>'), /leads out/],
      [svg('<use xlink:href="//evil.example#a"/>'), /leads out/],
      [svg('<use xlink:href="java&#10;script:alert(1)"/>'), /leads out/],
      [svg('<path fill="url(https://evil.example/#a)"/>'), /fill of <path>/],
      [svg('<path style="fill:u\\72l(//evil.example)"/>'), /style of <path>/],
      [svg("<style>@import url(//evil.example);</style>"), /<style>/],
      [svg("<style>path{background:image-set('//evil.example')}</style>"), /<style>/],
      [svg("<style>path{fill:red}</style><style>@font-face{src:url(x)}</style>"), /<style>/],
      [`<!DOCTYPE svg [<!ENTITY a "b">]>${svg("&a;")}`, /document type/],
      [svg("&nbsp;"), /entity/],
      [svg("<path"), /not valid/],
      ["<html/>", /neither a PNG nor an SVG/],
      [svg("").replace('viewBox="0 0 40 20"', ""), /viewBox/],
      [svg('<g id="a"><use href="#b"/></g><g id="b"><use href="#a"/></g>'), /<use>/],
      [svg("<g>".repeat(40) + "</g>".repeat(40)), /deeply/],
      ["\u0000", /not valid/],
    ];
    for (const [body, reason] of cases) {
      const answer = await put(body);
      expect([answer.status, answer.body.code], body.slice(0, 200)).toEqual([400, "images.invalid"]);
      expect(answer.body.errors[0].message).toMatch(reason);
    }
  });
});
