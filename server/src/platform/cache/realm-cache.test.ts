import { describe, expect, test } from "vitest";
import { createRealmCache, createRealmChanges } from "./index.ts";

interface Snapshot {
  readonly configVersion: number;
  readonly text: string;
}

/** A store whose reads end when the test says so. */
function slowStore(initial: Snapshot | null) {
  let stored = initial;
  const reads: (() => void)[] = [];
  return {
    loads: 0,
    set: (value: Snapshot | null) => {
      stored = value;
    },
    load() {
      this.loads++;
      const seen = stored;
      return new Promise<Snapshot | null>((resolve) => reads.push(() => resolve(seen)));
    },
    answer: () => reads.splice(0).forEach((read) => void read()),
  };
}

const setUp = (initial: Snapshot | null) => {
  const store = slowStore(initial);
  const changes = createRealmChanges();
  const cache = createRealmCache<Snapshot>(changes, () => store.load());
  const get = async () => {
    const value = cache.get("acme");
    store.answer();
    return value;
  };
  return { store, changes, cache, get };
};
const v = (configVersion: number): Snapshot => ({ configVersion, text: `v${configVersion}` });

describe("the realm cache", () => {
  test("reads a cold realm once for a hundred who ask, and then not at all", async () => {
    const { store, cache, get } = setUp(v(1));
    const requested = Array.from({ length: 100 }, () => cache.get("acme"));
    store.answer();
    expect(new Set(await Promise.all(requested))).toEqual(new Set([v(1)]));
    await get();
    expect(store.loads).toBe(1);
  });

  test("does not lose a change that is announced while it reads", async () => {
    const { store, changes, cache, get } = setUp(v(1));
    const early = cache.get("acme");
    store.set(v(2));
    changes.drop("acme");
    store.answer();
    expect(await early).toEqual(v(1));
    expect(await get()).toEqual(v(2));
  });

  test("nor does a slow read of the old state replace the new one", async () => {
    const changes = createRealmChanges();
    const reads: ((value: Snapshot) => void)[] = [];
    const slow = createRealmCache<Snapshot>(changes, () => new Promise((resolve) => reads.push(resolve)));
    const old = slow.get("acme");
    changes.drop("acme");
    const fresh = slow.get("acme");
    reads[1]!(v(2));
    await fresh;
    reads[0]!(v(1));
    await old;
    expect(await slow.get("acme")).toEqual(v(2));
  });

  test("keeps what is as new as what was announced, and drops what is older", async () => {
    const { store, changes, get } = setUp(v(3));
    await get();
    changes.drop("acme", 3);
    await get();
    expect(store.loads).toBe(1);
    changes.drop("acme", 4);
    await get();
    expect(store.loads).toBe(2);
    changes.drop("other", 9);
    changes.drop("other");
    await get();
    expect(store.loads).toBe(2);
    changes.drop(null);
    await get();
    expect(store.loads).toBe(3);
  });

  test("does not remember that a realm does not exist, nor that reading failed", async () => {
    const { store, get } = setUp(null);
    expect(await get()).toBeNull();
    store.set(v(1));
    expect(await get()).toEqual(v(1));

    let fails = true;
    const shaky = createRealmCache<Snapshot>(createRealmChanges(), async () => {
      if (fails) throw new Error("no database");
      return v(1);
    });
    await expect(shaky.get("acme")).rejects.toThrow("no database");
    fails = false;
    expect(await shaky.get("acme")).toEqual(v(1));
  });

  test("ends when nothing was confirmed for five seconds, and what is read meanwhile lasts for one", async () => {
    const { store, changes, cache, get } = setUp(v(1));
    await get();
    changes.confirm(performance.now() - 4_000);
    expect(cache.peek("acme")).toEqual(v(1));
    changes.confirm(performance.now() - 5_001);
    expect(cache.peek("acme")).toBeUndefined();
    store.set(v(2));
    expect(await get()).toEqual(v(2));
    await get();
    expect(store.loads).toBe(2);
    changes.confirm(performance.now() - 5_001);
    expect(await get()).toEqual(v(2));
    expect(store.loads).toBe(3);
    changes.confirm(performance.now());
    await get();
    expect(store.loads).toBe(3);
  });

  test("unknown names do not evict the realms in use", async () => {
    let loads = 0;
    const cache = createRealmCache<Snapshot>(createRealmChanges(), async (realm) => {
      if (realm !== "acme") return null;
      loads++;
      return v(1);
    });
    await cache.get("acme");
    for (let n = 0; n < 3_000; n++) await cache.get(`guess-${n}`);
    await cache.get("acme");
    expect(loads).toBe(1);
  });
});
