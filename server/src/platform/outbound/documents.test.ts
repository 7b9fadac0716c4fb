import { afterEach, expect, test } from "vitest";
import { clock, SECOND } from "../../kernel/clock.ts";
import { createRemoteDocuments, type ReadFailure } from "./documents.ts";

afterEach(() => clock.reset());

class Failure extends Error {
  readonly kind: ReadFailure;
  constructor(kind: ReadFailure) {
    super(kind);
    this.kind = kind;
  }
}

function remote(max = 10) {
  const documents = createRemoteDocuments<string>({
    ...{ max, staleMs: 60 * SECOND, pauseMs: 5 * SECOND },
    failureOf: (error) => (error instanceof Failure ? error.kind : "unexpected"),
  });
  const peer = { requests: 0, answer: "one" as string | ReadFailure };
  const failures: string[] = ["down", "refused", "not-asked", "unexpected"];
  const read = async () => {
    peer.requests++;
    if (failures.includes(peer.answer)) throw new Failure(peer.answer as ReadFailure);
    return { document: peer.answer, freshMs: 10 * SECOND };
  };
  return { documents, peer, read, get: () => documents.get("key", read) };
}

test("a document is read once while it is fresh, and once for callers at the same time", async () => {
  const { documents, peer, read, get } = remote();
  expect(documents.peek("key")).toBeUndefined();
  const both = [get(), get()];
  expect(documents.isReading("key")).toBe(true);
  expect(await Promise.all(both)).toEqual(["one", "one"]);
  clock.advance(9 * SECOND);
  expect(await get()).toBe("one");
  expect(peer.requests).toBe(1);
  peer.answer = "two";
  clock.advance(2 * SECOND);
  expect([documents.peek("key"), await get(), documents.peek("key")]).toEqual(["one", "two", "two"]);
  peer.answer = "three";
  expect(await documents.reread("key", read)).toBe("three");
  expect([peer.requests, documents.isReading("key")]).toEqual([3, false]);
});

test("while its server is down the last one is used, for a time, and the server is left alone between attempts", async () => {
  const { peer, get } = remote();
  peer.answer = "down";
  await expect(get()).rejects.toThrow("down");
  await expect(get()).rejects.toThrow("down");
  expect(peer.requests).toBe(1);
  peer.answer = "one";
  clock.advance(6 * SECOND);
  expect(await get()).toBe("one");
  peer.answer = "down";
  clock.advance(11 * SECOND);
  expect([await get(), await get(), peer.requests]).toEqual(["one", "one", 3]);
  clock.advance(60 * SECOND);
  await expect(get()).rejects.toThrow("down");
});

test("a refused answer counts at once; a request that was not made changes nothing; other errors are thrown and not kept", async () => {
  const { documents, peer, get } = remote();
  await get();
  clock.advance(11 * SECOND);
  peer.answer = "not-asked";
  expect([await get(), await get(), peer.requests]).toEqual(["one", "one", 3]);
  peer.answer = "unexpected";
  await expect(get()).rejects.toThrow("unexpected");
  expect(documents.peek("key")).toBe("one");
  peer.answer = "refused";
  await expect(get()).rejects.toThrow("refused");
  expect(documents.peek("key")).toBeUndefined();
  const asked = peer.requests;
  await expect(get()).rejects.toThrow("refused");
  expect(peer.requests).toBe(asked);
});

test("failures do not evict documents", async () => {
  const { documents, get } = remote(2);
  await get();
  const fail = async () => Promise.reject(new Failure("down"));
  for (const key of ["a", "b", "c"]) await expect(documents.get(key, fail)).rejects.toThrow("down");
  expect(documents.peek("key")).toBe("one");
});
