import type { components } from "@gatehouse/api";
import { useEffect, useState } from "react";
import { useRealm } from "../app/session.tsx";

type Tail = components["schemas"]["AuditEventTail"];
type AuditEvent = Tail["items"][number];

const EVERY_MS = 2_000;
const KEPT = 500;
const NOT_FOR_A_TAIL = new Set(["from", "to"]);

/** Returns the events since the tail was turned on, newest first. It reads them by a cursor, so that none is missed or read twice. */
export function useTail(on: boolean, filter: Readonly<Record<string, string | undefined>>): readonly AuditEvent[] {
  const { api } = useRealm();
  const [events, setEvents] = useState<readonly AuditEvent[]>([]);
  const key = JSON.stringify(Object.entries(filter).filter(([name]) => !NOT_FOR_A_TAIL.has(name)));
  useEffect(() => {
    setEvents([]);
    if (!on) return;
    const control = new AbortController();
    const query = Object.fromEntries(JSON.parse(key) as [string, string | undefined][]);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const follow = async (after: string | undefined): Promise<void> => {
      let next = after;
      let wait = EVERY_MS;
      try {
        const { data } = await api.get<Tail>("/events/tail", { query: { ...query, after }, signal: control.signal });
        next = data.cursor;
        if (data.more) wait = 0;
        if (data.items.length > 0) setEvents((known) => [...data.items.toReversed(), ...known].slice(0, KEPT));
      } catch {
        // Once the server can be reached, it continues at the same place.
        wait = 3 * EVERY_MS;
      }
      if (!control.signal.aborted) timer = setTimeout(() => void follow(next), wait);
    };
    void follow(undefined);
    return () => {
      control.abort();
      clearTimeout(timer);
    };
  }, [on, key, api]);
  return events;
}
