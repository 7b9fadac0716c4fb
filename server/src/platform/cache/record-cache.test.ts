import { describe, expect, test } from "vitest";
import { createRealmChanges, createRecordCache } from "./index.ts";

type Loaded = { record: { clientId: string; name: string }; configVersion: number } | null;
const found = (clientId: string, configVersion = 1, name = "") => ({ record: { clientId, name }, configVersion }) satisfies Loaded;

/** A cache over reads that end when the test says so. */
function setUp() {
  const reads: { key: string; end: (value: Loaded) => void; fail: (error: Error) => void }[] = [];
  const changes = createRealmChanges();
  const clients = createRecordCache<{ clientId: string; name: string }>(
    changes,
    (realm, clientId) => new Promise((end, fail) => reads.push({ key: `${realm}/${clientId}`, end, fail })),
  );
  return { reads, changes, clients };
}

describe("the cache of records", () => {
  test("reads a client once for a hundred who ask, and each realm's its own", async () => {
    const { reads, clients } = setUp();
    const requested = Array.from({ length: 100 }, () => clients.get("acme", "shop"));
    const other = clients.get("other", "shop");
    expect(reads.map(({ key }) => key)).toEqual(["acme/shop", "other/shop"]);
    reads[0]!.end(found("shop", 1, "acme's"));
    reads[1]!.end(found("shop", 1, "other's"));
    expect(new Set((await Promise.all(requested)).map((client) => client?.name))).toEqual(new Set(["acme's"]));
    expect((await other)?.name).toBe("other's");
    expect((await clients.get("acme", "shop"))?.name).toBe("acme's");
    expect(reads).toHaveLength(2);
  });

  test("keeps nothing that was read while a change was announced", async () => {
    const { reads, changes, clients } = setUp();
    const early = clients.get("acme", "shop");
    changes.drop("acme");
    const late = clients.get("acme", "shop");
    reads[1]!.end(found("shop", 2, "new"));
    expect((await late)?.name).toBe("new");
    reads[0]!.end(found("shop", 1, "old"));
    expect((await early)?.name).toBe("old");
    expect((await clients.get("acme", "shop"))?.name).toBe("new");
  });

  test("drops a realm's clients with its changes, those of others stay, and what is as new as the news stays too", async () => {
    const loads: string[] = [];
    let version = 3;
    const changes = createRealmChanges();
    const clients = createRecordCache(changes, async (realm, clientId) => {
      loads.push(`${realm}/${clientId}`);
      return found(clientId, version);
    });
    const askAll = async () => {
      loads.length = 0;
      for (const [realm, id] of [
        ["acme", "a"],
        ["acme", "b"],
        ["other", "a"],
      ] as const)
        await clients.get(realm, id);
      return [...loads];
    };
    expect(await askAll()).toHaveLength(3);
    changes.drop("acme", 3);
    expect(await askAll()).toEqual([]);
    changes.drop("acme", 4);
    expect(await askAll()).toEqual(["acme/a", "acme/b"]);
    version = 5;
    await clients.get("acme", "read later, knowing more");
    changes.drop("acme", 5);
    expect(await askAll(), "as old as the oldest of them").toEqual(["acme/a", "acme/b"]);
    changes.drop(null);
    expect(await askAll()).toHaveLength(3);
  });

  test("remembers neither that there is no such client, nor that reading failed; guessing evicts no client", async () => {
    const { reads, clients } = setUp();
    const failing = clients.get("acme", "shop");
    reads[0]!.fail(new Error("no database"));
    await expect(failing).rejects.toThrow("no database");
    const known = clients.get("acme", "shop");
    reads[1]!.end(found("shop"));
    await known;
    for (let guess = 0; guess < 11_000; guess++) {
      const requested = clients.get("acme", `guess-${guess}`);
      reads.at(-1)!.end(null);
      expect(await requested).toBeNull();
    }
    const before = reads.length;
    expect((await clients.get("acme", "shop"))?.clientId).toBe("shop");
    expect(reads).toHaveLength(before);
    void clients.get("acme", "guess-0");
    expect(reads).toHaveLength(before + 1);
  });
});
