import { clock, SECOND } from "../../kernel/clock.ts";
import { createLru } from "../../kernel/lru.ts";
import type { Directory } from "./directory.ts";

/** The users whose entries this node has found recently. */
export interface SeenEntries {
  isFresh(directory: Directory, userId: string): boolean;
  see(directory: Directory, userId: string): void;
  forget(directory: Directory, userId: string): void;
}

const MAX_SEEN = 100_000;

export function createSeenEntries(): SeenEntries {
  const seen = createLru<{ readonly version: number; readonly at: number }>(MAX_SEEN);
  const keyOf = ({ provider: { realm, providerId } }: Directory, userId: string) => `${realm}/${providerId}/${userId}`;
  return {
    isFresh(directory, userId) {
      const found = seen.get(keyOf(directory, userId));
      return found?.version === directory.provider.version && clock.now() - found.at < directory.entryCheckSeconds * SECOND;
    },
    see: (directory, userId) => void seen.set(keyOf(directory, userId), { version: directory.provider.version, at: clock.now() }),
    forget: (directory, userId) => void seen.delete(keyOf(directory, userId)),
  };
}
