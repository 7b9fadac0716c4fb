import type { Socket } from "node:net";
import { afterEach, expect, test, vi } from "vitest";
import { answer, entryMessage, type LdapRequest, ldapPeer, RESPONSE } from "../../testing/ldap-peer.ts";
import { createOutbound, type Outbound } from "../outbound/index.ts";
import { createLdapPool, LdapEntry, openConnection, parseFilter, readRanges } from "./index.ts";

const toEnd: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of toEnd.splice(0).reverse()) await end();
});

function development(): Outbound {
  const outbound = createOutbound({ allowedHosts: [], allowLoopbackHttp: true });
  toEnd.push(() => outbound.close());
  return outbound;
}

/** A connection to a directory that answers by `reply`. */
async function connected(reply: (socket: Socket, request: LdapRequest) => void, more: { timeoutMs?: number; startTls?: boolean } = {}) {
  const peer = await ldapPeer(reply);
  toEnd.push(() => peer.close());
  const options = { outbound: development(), url: peer.url, startTls: false, ca: null, timeoutMs: 60_000, ...more };
  const connection = await openConnection(options);
  toEnd.push(() => connection.close());
  return { peer, connection, options };
}

const request = { base: "dc=corp", scope: "sub", filter: parseFilter("(uid=*)"), attributes: ["uid"] } as const;
const failing = (fault: string) => expect.objectContaining({ name: "LdapError", fault });

test("a page without entries does not end the search: only an empty cookie does", async () => {
  const pages = [["p1"], [], ["p3"], []];
  const { connection, peer } = await connected((socket, { id }) => {
    const at = peer.requests.length - 1;
    for (const uid of pages[at]!) socket.write(entryMessage(id, `uid=${uid}`, { uid: [uid] }));
    socket.write(answer(id, RESPONSE.search, 0, { cookie: at < pages.length - 1 ? `after-${at}` : "" }));
  });
  const found: string[] = [];
  for await (const page of connection.pages(request, 500)) found.push(...page.map(({ dn }) => dn));
  expect(found).toEqual(["uid=p1", "uid=p3"]);
  expect(peer.requests).toHaveLength(4);
  expect(peer.requests[3]!.controls!.includes("after-2")).toBe(true);
});

test("empty pages without end are given up", async () => {
  const { connection } = await connected((socket, { id }) => socket.write(answer(id, RESPONSE.search, 0, { cookie: "again" })));
  const all = async () => {
    for await (const page of connection.pages(request, 500)) expect(page).toHaveLength(0);
  };
  await expect(all()).rejects.toEqual(failing("protocol"));
});

test("a size limit in the middle is an error, however much came before it", async () => {
  const { connection } = await connected((socket, { id }) => {
    socket.write(entryMessage(id, "uid=one", { uid: ["one"] }));
    socket.write(answer(id, RESPONSE.search, 4));
  });
  await expect(connection.search(request)).rejects.toMatchObject({ fault: "result", resultCode: 4 });
  expect(await connection.search({ ...request, sizeLimit: 1 })).toHaveLength(1);
  await expect(connection.search({ ...request, sizeLimit: 2 })).rejects.toMatchObject({ resultCode: 4 });
});

test.each([
  ["text", Buffer.from("HTTP/1.1 400 Bad Request\r\n\r\n")],
  ["an indefinite length", Buffer.from([0x30, 0x80, 0, 0])],
  ["a length of seven bytes", Buffer.from([0x30, 0x87, 0, 0, 0, 0, 0, 0, 1, 1])],
  ["an entry whose value goes backwards", (id: number) => hostileEntry(id, [0xff, 0xff, 0xff, 0xfa])],
  ["an entry whose value is longer than itself", (id: number) => hostileEntry(id, [0, 0, 1, 0])],
  ["an answer of another kind", (id: number) => answer(id, RESPONSE.modify)],
  ["an unknown operation", (id: number) => answer(id, 0x6d)],
])("%s ends the conversation at once", async (_name, bytes) => {
  const { connection } = await connected((socket, { id }) => socket.write(typeof bytes === "function" ? bytes(id) : bytes));
  await expect(connection.search(request)).rejects.toEqual(failing("protocol"));
  expect(connection.isOpen).toBe(false);
});

/** An entry with one attribute, whose only value announces the length that is given. */
function hostileEntry(id: number, length: readonly number[]): Buffer {
  const whole = entryMessage(id, "uid=x", { uid: ["abcdefgh"] });
  const value = whole.indexOf("abcdefgh");
  // 04 08 abcdefgh becomes 04 84 .. .. .. .. abcd: as long as before.
  return Buffer.concat([whole.subarray(0, value - 1), Buffer.from([0x84, ...length]), Buffer.from("abcd"), whole.subarray(value + 8)]);
}

test("a message of a gigabyte is refused when it is announced", async () => {
  const { connection } = await connected((socket) => socket.write(Buffer.from([0x30, 0x84, 0x40, 0, 0, 0])));
  await expect(connection.search(request)).rejects.toEqual(failing("too_large"));
});

test("an answer that never ends is refused", async () => {
  const large = "x".repeat(8 * 1024 * 1024);
  const { connection } = await connected(
    (socket, { id }) => {
      const send = () => socket.write(entryMessage(id, "uid=x", { uid: [large] }), (error) => error ?? send());
      send();
    },
    { timeoutMs: 60_000 },
  );
  await expect(connection.search(request)).rejects.toEqual(failing("too_large"));
});

test("silence and an answer that drips end with the time limit", async () => {
  const silent = await connected(() => {}, { timeoutMs: 1_000 });
  const silence = silent.connection.search(request).catch((error: unknown) => error);
  // The first byte comes at once and the last one never: the answer is cut, however busy the machine is.
  const dripping = await connected(
    (socket, { id }) => {
      const bytes = answer(id, RESPONSE.search).subarray(0, -1);
      let at = 0;
      const drip = () => (socket.destroyed || at >= bytes.length ? clearInterval(timer) : socket.write(bytes.subarray(at, ++at)));
      const timer = setInterval(drip, 50);
      drip();
    },
    { timeoutMs: 1_000 },
  );
  await expect(dripping.connection.search(request)).rejects.toEqual(failing("timeout"));
  expect(await silence).toEqual(failing("timeout"));
  expect(dripping.connection.isOpen).toBe(false);
});

test("a slow search is given up without those beside it", async () => {
  // The second is answered once the first was abandoned.
  const { connection, peer } = await connected((socket, { tag }) => {
    if (tag === 0x50) socket.write(answer(2, RESPONSE.search));
  });
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  try {
    const slow = connection.search(request);
    vi.advanceTimersByTime(40_000);
    const quick = connection.search(request);
    vi.advanceTimersByTime(40_000);
    await expect(slow).rejects.toEqual(failing("timeout"));
    expect(await quick).toEqual([]);
    expect(peer.requests.map(({ id, tag }) => [id, tag])).toEqual([...[1, 2].map((id) => [id, 0x63]), [3, 0x50]]);
  } finally {
    vi.useRealTimers();
  }
});

test("after an early close nothing runs on another connection", async () => {
  const { connection, peer } = await connected((socket) => socket.destroy());
  await expect(connection.search(request)).rejects.toEqual(failing("closed"));
  await expect(connection.search(request)).rejects.toEqual(failing("closed"));
  expect(peer.requests).toHaveLength(1);
});

test("a notice of disconnection ends what waits", async () => {
  const { connection } = await connected((socket) => socket.write(answer(0, RESPONSE.extended, 52)));
  await expect(connection.search(request)).rejects.toEqual(failing("closed"));
});

test("an empty password is never sent", async () => {
  const { connection, peer } = await connected((socket, { id }) => socket.write(answer(id, RESPONSE.bind)));
  await expect(connection.bind("uid=anna,dc=corp", "")).rejects.toEqual(failing("protocol"));
  await expect(connection.bind("", "secret")).rejects.toEqual(failing("protocol"));
  expect(peer.requests).toHaveLength(0);
});

test("references to other directories are passed over", async () => {
  const { connection } = await connected((socket, { id }) => {
    const reference = answer(id, RESPONSE.reference);
    socket.write(Buffer.concat([reference, entryMessage(id, "uid=one", { uid: ["one"] }), answer(id, RESPONSE.search)]));
  });
  expect((await connection.search(request)).map(({ dn }) => dn)).toEqual(["uid=one"]);
});

test("StartTLS fails closed: refused, followed by clear text, or without TLS behind it", async () => {
  const cases: [string, (socket: Socket, id: number) => void, string][] = [
    ["refused", (socket, id) => socket.write(answer(id, RESPONSE.extended, 2)), "tls"],
    [
      "clear text behind it",
      (socket, id) => socket.write(Buffer.concat([answer(id, RESPONSE.extended), answer(2, RESPONSE.bind)])),
      "closed",
    ],
    [
      "no TLS",
      (socket, id) => {
        // The next that comes is the client's first message of TLS.
        socket.once("data", () => socket.write("hello, I am no TLS server"));
        socket.write(answer(id, RESPONSE.extended));
      },
      "tls",
    ],
    ["silence", (socket, id) => socket.write(answer(id, RESPONSE.extended)), "timeout"],
  ];
  for (const [name, reply, fault] of cases) {
    const requested: LdapRequest[] = [];
    const opening = connected(
      (socket, request) => {
        requested.push(request);
        if (requested.length === 1) reply(socket, request.id);
      },
      { startTls: true, ...(fault === "timeout" && { timeoutMs: 300 }) },
    );
    await expect(opening, name).rejects.toEqual(failing(fault));
    expect(
      requested.filter(({ tag }) => tag === 0x60),
      name,
    ).toHaveLength(0);
  }
});

test("lists that come in parts are read to their end", async () => {
  const { connection, peer } = await connected((socket, { id, body }) => {
    const requested = /member;range=(\d+)-/.exec(body.toString("latin1"))?.[1] ?? "0";
    const name = { "0": "member;range=0-1", "2": "member;range=2-3", "4": "member;Range=4-*" }[requested]!;
    const values = requested === "4" ? ["e"] : [`${requested}a`, `${requested}b`];
    socket.write(Buffer.concat([entryMessage(id, "cn=g", { member: [], [name]: values }), answer(id, RESPONSE.search)]));
  });
  const members: string[] = [];
  for await (const part of readRanges(connection, "cn=g", "member")) members.push(...part);
  expect(members).toEqual(["0a", "0b", "2a", "2b", "e"]);
  expect(peer.requests).toHaveLength(3);
});

test("a list that repeats itself is given up", async () => {
  const { connection } = await connected((socket, { id }) =>
    socket.write(Buffer.concat([entryMessage(id, "cn=g", { "member;range=0-1": ["a", "b"] }), answer(id, RESPONSE.search)])),
  );
  const all = async () => {
    for await (const part of readRanges(connection, "cn=g", "member")) expect(part).toHaveLength(2);
  };
  await expect(all()).rejects.toEqual(failing("protocol"));
});

test("a pool binds again on a new connection when the directory ended the kept one, and tries a dead server last", async () => {
  const ok = await ldapPeer((socket, { id, tag }) => {
    if (tag === 0x60) socket.write(answer(id, RESPONSE.bind));
    if (tag === 0x63) socket.write(answer(id, RESPONSE.search));
  });
  toEnd.push(() => ok.close());
  const dead = await ldapPeer(() => {});
  await dead.close();
  const pool = createLdapPool({
    outbound: development(),
    urls: [dead.url, ok.url],
    startTls: false,
    ca: null,
    timeoutMs: 60_000,
    bindDn: "cn=sync",
    bindPassword: "secret",
  });
  toEnd.push(() => pool.close());
  const search = () => pool.service((connection) => connection.search(request));
  await Promise.all(Array.from({ length: 20 }, search));
  expect(ok.sockets.size).toBe(1);
  expect(ok.requests.filter(({ tag }) => tag === 0x60)).toHaveLength(1);
  for (const socket of ok.sockets) socket.destroy();
  await search();
  expect(ok.requests.filter(({ tag }) => tag === 0x60)).toHaveLength(2);
  // Separate connections are anonymous, and end with the work.
  await pool.fresh((connection) => connection.search(request));
  await expect.poll(() => ok.sockets.size).toBe(1);
  await ok.close();
  await expect(search()).rejects.toEqual(failing("reach"));
});

test("a pool goes to the next server when one hangs or is not ready, but not when the directory refuses its password", async () => {
  const bindResult = (result: number) => ldapPeer((socket, { id }) => socket.write(answer(id, RESPONSE.bind, result)));
  let hangs = false;
  const hanging = await ldapPeer((socket, { id, tag }) => {
    if (tag === 0x60 && !hangs) socket.write(answer(id, RESPONSE.bind));
    if (tag === 0x63 && !hangs) socket.write(answer(id, RESPONSE.search));
  });
  const unready = await bindResult(52);
  const refusing = await bindResult(49);
  const ok = await ldapPeer((socket, { id, tag }) => {
    if (tag === 0x60) socket.write(answer(id, RESPONSE.bind));
    if (tag === 0x63) socket.write(answer(id, RESPONSE.search));
  });
  const all = [hanging, unready, refusing, ok];
  toEnd.push(...all.map((each) => () => each.close()));
  const searching = (timeoutMs: number, ...urls: string[]) => {
    const options = { outbound: development(), startTls: false, ca: null, bindDn: "cn=sync", bindPassword: "secret" };
    const pool = createLdapPool({ ...options, urls, timeoutMs });
    toEnd.push(() => pool.close());
    return () => pool.service((connection) => connection.search(request));
  };
  await searching(60_000, unready.url, ok.url)();
  await expect(searching(60_000, refusing.url, ok.url)()).rejects.toMatchObject({ resultCode: 49 });
  const search = searching(500, hanging.url, ok.url);
  const succeeds = () =>
    search().then(
      () => true,
      () => false,
    );
  await expect.poll(succeeds).toBe(true);
  hangs = true;
  await expect.poll(succeeds).toBe(true);
});

test("an entry reads its attributes in any case", () => {
  const entry = new LdapEntry("uid=x", new Map([["mail", [Buffer.from("a@b")]]]));
  expect([entry.text("MAIL"), entry.texts("Mail"), entry.text("sn"), entry.texts("sn")]).toEqual(["a@b", ["a@b"], null, []]);
});
