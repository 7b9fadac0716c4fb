import { isDirectorySource, isUnavailable, UNAVAILABLE_SECONDS } from "../../directory/credentials/index.ts";
import { clock, SECOND } from "../../kernel/clock.ts";
import { createLru } from "../../kernel/lru.ts";
import type { ProvidersSnapshot } from "../providers/provider.ts";
import { type Directory, directoryOf, isDirectory } from "./directory.ts";
import { entryOfUser } from "./entries.store.ts";
import { type DirectoryParts, ownEntry } from "./own-entry.ts";
import { isFault, readPerson } from "./person.ts";

/** `sign-in`: a proof was just accepted. `renewal`: a session or token continues. The configuration may treat them differently during an outage. */
type EntryUse = "sign-in" | "renewal";

/** `gone`: the directory has no such entry, or has disabled it. `unreachable`: the directory cannot be asked, and its configuration then refuses this use. */
type EntryStanding = "stands" | "gone" | "unreachable";

/** Tells whether users still have an entry in the directory that they come from, whichever way they sign in. */
export interface EntryChecks {
  standing(realm: string, userId: string, use: EntryUse): Promise<EntryStanding>;
}

/** The time for which a directory that did not answer is not asked again. Otherwise each question would wait for its deadline. */
const PAUSE = UNAVAILABLE_SECONDS * SECOND;
const MAX_FAILED = 1_000;

/** Memoized by snapshot, because every refresh of a token calls this. */
const directoriesOf = (() => {
  const known = new WeakMap<ProvidersSnapshot, readonly Directory[]>();
  return (snapshot: ProvidersSnapshot): readonly Directory[] => {
    const found = known.get(snapshot) ?? [...snapshot.byAlias.values()].filter(isDirectory).map(directoryOf);
    known.set(snapshot, found);
    return found;
  };
})();

export function createEntryChecks(parts: DirectoryParts): EntryChecks {
  const failedAt = createLru<number>(MAX_FAILED);

  /** Returns null if the directory cannot be asked. */
  const ask = async (directory: Directory, userId: string, subject: string): Promise<"stands" | "gone" | null> => {
    const { providerId, enabled } = directory.provider;
    if (!enabled || clock.now() - (failedAt.get(providerId) ?? Number.NEGATIVE_INFINITY) < PAUSE) return null;
    try {
      const entry = await ownEntry(parts, { directory, subject });
      failedAt.delete(providerId);
      const person = entry && readPerson(directory.provider.config, entry);
      if (person && !isFault(person) && person.enabled) {
        parts.seen.see(directory, userId);
        return "stands";
      }
      parts.seen.forget(directory, userId);
      return "gone";
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      failedAt.set(providerId, clock.now());
      return null;
    }
  };

  return {
    async standing(realm, userId, use) {
      const snapshot = await parts.providers.get(realm);
      const directories = snapshot ? directoriesOf(snapshot) : [];
      if (directories.length === 0 || directories.some((directory) => parts.seen.isFresh(directory, userId))) return "stands";
      const user = await entryOfUser(parts.db, realm, userId);
      if (!user || !isDirectorySource(user.source)) return "stands";
      const directory = directories.find(({ source }) => source === user.source);
      const link = directory && user.links.find(({ providerId }) => providerId === directory.provider.providerId);
      // The directory was deleted, by an administrator who has every permission of its users. The users keep their access.
      if (!directory || !link) return "stands";
      return (await ask(directory, userId, link.subject)) ?? (directory.whenUnreachable[use] === "allow" ? "stands" : "unreachable");
    },
  };
}
