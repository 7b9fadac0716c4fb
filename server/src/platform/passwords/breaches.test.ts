import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { makeList } from "../../../corpus/make.mjs";
import { clock, MINUTE } from "../../kernel/clock.ts";
import { type BreachedPasswords, createBreachedPasswords } from "./index.ts";

const LEAKED = "a sentence that has leaked";
const SAFE = "a sentence that has not leaked";
const sha1 = (password: string) => createHash("sha1").update(password).digest("hex").toUpperCase();
const prefix = sha1(LEAKED).slice(0, 5);
const suffix = sha1(LEAKED).slice(5);

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  clock.reset();
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

function open(corpus: string | null): { breaches: BreachedPasswords; logged: { fields: object; message: string }[] } {
  const logged: { fields: object; message: string }[] = [];
  const breaches = createBreachedPasswords({ corpus, log: { warn: (fields, message) => void logged.push({ fields, message }) } });
  cleanups.push(() => breaches.close());
  return { breaches, logged };
}

async function folder(files: Record<string, string>): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "gatehouse-corpus-"));
  cleanups.push(() => rm(path, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) await writeFile(join(path, name), content);
  return path;
}

async function server(answer: RequestListener): Promise<{ url: string; server: Server }> {
  const peer = createServer(answer).listen(0, "127.0.0.1");
  await once(peer, "listening");
  cleanups.push(() => {
    peer.closeAllConnections();
    peer.close();
  });
  return { url: `http://127.0.0.1:${(peer.address() as AddressInfo).port}/range`, server: peer };
}

describe("the list that ships", () => {
  test("is what corpus/make.mjs makes", async () => {
    expect(await readFile(new URL("common-passwords.txt", import.meta.url), "utf8")).toBe(`${makeList()}\n`);
  });

  test.each(["password", "123456", "12345678", "qwerty", "iloveyou", "Password1!", "letmein", "dragon", "welkom01", "1q2w3e4r", "zzz!"])(
    "has %s",
    async (common) => {
      expect(await open(null).breaches.has(common)).toBe(true);
    },
  );

  test.each([LEAKED, "correct horse battery staple", "tr0ub4dor&3", "xK9#mP2$vL5q", "", "a password for tests"])(
    "has not %j",
    async (rare) => {
      expect(await open(null).breaches.has(rare)).toBe(false);
    },
  );

  test("has nothing to probe", () => {
    expect(open(null).breaches.probe).toBeNull();
  });
});

describe("a folder of ranges", () => {
  test.each([`${prefix}.txt`, prefix])("%s is queried", async (name) => {
    const { breaches, logged } = open(await folder({ [name]: `0${suffix.slice(1)}:3\r\n${suffix}:12\r\nF${suffix.slice(1)}:1\r\n` }));
    expect(await breaches.has(LEAKED)).toBe(true);
    expect(await breaches.has(SAFE)).toBe(false);
    await expect(breaches.probe!()).resolves.toBeUndefined();
    expect(logged).toEqual([]);
  });

  test("a line of count 0 is padding, and lower case is fine", async () => {
    expect(await open(await folder({ [prefix]: `${suffix}:0` })).breaches.has(LEAKED)).toBe(false);
    expect(await open(await folder({ [prefix]: `${suffix.toLowerCase()}:7` })).breaches.has(LEAKED)).toBe(true);
  });

  test.each([
    ["gone", (path: string) => rm(path, { recursive: true })],
    ["empty", (path: string) => rm(join(path, prefix))],
    ["not readable", (path: string) => rm(join(path, prefix)).then(() => mkdir(join(path, prefix)))],
  ])("that is %s blocks no sign-in, and is logged without the hash prefix", async (_state, spoil) => {
    const path = await folder({ [prefix]: `${suffix}:1` });
    const { breaches, logged } = open(path);
    await spoil(path);
    expect(await breaches.has(LEAKED)).toBe(false);
    expect(await breaches.has("password123"), "the list that ships").toBe(true);
    expect(logged).toHaveLength(1);
    expect(String((logged[0]!.fields as { err: Error }).err)).not.toContain(prefix);
  });
});

describe("a server of ranges", () => {
  test("gets five digits, is queried with padding, and cached", async () => {
    const requested: string[] = [];
    const { url } = await server((req, res) => {
      requested.push(`${req.method} ${req.url} ${req.headers["add-padding"]}`);
      res.end(req.url?.endsWith(prefix) ? `${suffix}:5\r\n` : `${"0".repeat(35)}:0\r\n`);
    });
    const { breaches } = open(url);
    expect(await breaches.has(LEAKED)).toBe(true);
    expect(await breaches.has(LEAKED)).toBe(true);
    expect(await breaches.has(SAFE)).toBe(false);
    expect(requested).toEqual([`GET /range/${prefix} true`, `GET /range/${sha1(SAFE).slice(0, 5)} true`]);
  });

  test("that fails blocks no sign-in, is logged once a minute, and is queried again", async () => {
    let status = 503;
    const { url } = await server((_req, res) => void res.writeHead(status).end(`${suffix}:5`));
    const { breaches, logged } = open(url);
    for (let i = 0; i < 3; i++) expect(await breaches.has(LEAKED)).toBe(false);
    expect(await breaches.has("password123")).toBe(true);
    expect(logged).toHaveLength(1);
    await expect(breaches.probe!()).rejects.toThrow("503");
    clock.advance(MINUTE);
    await breaches.has(LEAKED);
    expect(logged).toHaveLength(2);
    expect(JSON.stringify(logged)).not.toContain(prefix);
    status = 200;
    expect(await breaches.has(LEAKED)).toBe(true);
    await expect(breaches.probe!()).resolves.toBeUndefined();
  });

  test("that never answers is given up", async () => {
    const { url } = await server(() => {});
    const { breaches, logged } = open(url);
    expect(await breaches.has(LEAKED)).toBe(false);
    expect((logged[0]!.fields as { err: { reason: string } }).err.reason).toBe("timeout");
  });

  test("that sends elsewhere is not followed", async () => {
    const requested: unknown[] = [];
    const { url } = await server((req, res) => {
      requested.push(req.url);
      res.writeHead(302, { location: "/elsewhere" }).end();
    });
    expect(await open(url).breaches.has(LEAKED)).toBe(false);
    expect(requested).toHaveLength(1);
  });
});
