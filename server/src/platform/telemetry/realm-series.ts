import type { Counter } from "prom-client";
import { clock, DAY } from "../../kernel/clock.ts";

type Labels = { readonly realm: string; readonly [label: string]: string };

interface Realm {
  usedAt: number;
  /** Functions that remove the series, by counter and labels. */
  readonly series: Map<string, () => void>;
}

export interface RealmSeries {
  /** Called before this series is counted. */
  use(counter: Counter, labels: Labels): void;
  dropIdle(): void;
  realms(): string[];
  /** Drops the series of every other realm. */
  keepOnly(realms: ReadonlySet<string>): void;
}

const MAX_REALMS = 2_000;
const IDLE = DAY;

/**
 * Bounds the number of series on a node. It drops the series of a realm that has been idle for a day or was deleted and, if there are too many realms, of the
 * one that was used least recently. To Prometheus, a dropped series is a counter that starts again.
 */
export function createRealmSeries(maxRealms = MAX_REALMS): RealmSeries {
  // The realms are in order of use: the first one has been idle longest.
  const known = new Map<string, Realm>();
  const drop = (name: string) => {
    for (const remove of known.get(name)?.series.values() ?? []) remove();
    known.delete(name);
  };

  return {
    use(counter, labels) {
      const realm = known.get(labels.realm) ?? { usedAt: 0, series: new Map() };
      realm.usedAt = clock.now();
      const key = [(counter as unknown as { name: string }).name, ...Object.values(labels)].join(" ");
      if (!realm.series.has(key)) realm.series.set(key, () => counter.remove(labels));
      known.delete(labels.realm);
      known.set(labels.realm, realm);
      if (known.size > maxRealms) drop(known.keys().next().value!);
    },
    dropIdle() {
      for (const [name, { usedAt }] of known) {
        if (clock.now() - usedAt < IDLE) return;
        drop(name);
      }
    },
    realms: () => [...known.keys()],
    keepOnly(realms) {
      for (const name of known.keys()) if (!realms.has(name)) drop(name);
    },
  };
}
