import { createHash } from "node:crypto";
import { clock, SECOND } from "../../kernel/clock.ts";
import {
  allOf,
  anyOf,
  dnKey,
  entryId,
  equals,
  type Filter,
  idValue,
  type LdapConnection,
  type LdapEntry,
  type LdapPool,
  parseFilter,
} from "../../platform/ldap/index.ts";
import type { Directory } from "./directory.ts";
import { readDirSync } from "./dirsync.ts";
import { digestOf, earlier, type Mark, sinceTime, sinceUsn, stampOf } from "./mark.ts";
import { askingForEach, type KnownMemberships, type Memberships, readMemberships } from "./memberships.ts";
import type { RunKind } from "./runs.store.ts";

const PAGE = 500;
const AT_ONCE = 100;

/** Receives the entries that are read. */
export interface EntryWriter {
  take(entries: readonly LdapEntry[], memberships: Memberships): Promise<void>;
  /** Returns the ids of people whose groups differ from the stored ones. */
  regrouped(memberships: KnownMemberships): AsyncIterable<readonly string[]>;
}

export interface Reading {
  readonly kind: RunKind;
  /** The mark from which the next run continues. */
  readonly mark: Mark;
  readonly notes: readonly string[];
  /** The ids that a run of changes found changed, but that no longer belong to people. Null if the run cannot tell. */
  readonly missing: ReadonlySet<string> | null;
}

/**
 * Reads every page of a directory, or only what has changed since `mark`. Groups come first, so that the people read after them get all their groups. The new
 * mark is a number of this domain controller in AD; elsewhere it is the latest time of a change, by the directory's own clock.
 */
export async function readDirectory(
  pool: LdapPool,
  connection: LdapConnection,
  directory: Directory,
  { mark: last, full }: { readonly mark: Mark | null; readonly full: boolean },
  writer: EntryWriter,
): Promise<Reading> {
  const began = clock.now();
  const isAd = directory.traits.numbersChanges;
  const [digest, now] = [digestOf(directory), isAd ? await readController(connection) : null];
  const mark = last?.digest === digest ? last : null;
  const since = full || mark === null ? null : changesSince(mark, now);
  const latest = newest(since === null ? null : (mark?.time ?? null));
  const found = since === null ? await everyone() : await changes(mark!, since);
  const time = latest.stamp === null ? null : earlier(latest.stamp, Math.ceil((clock.now() - began) / SECOND));
  const cookie = found.cookie ?? mark?.cookie;
  return {
    kind: since === null ? "full" : "changed",
    ...{ notes: found.notes, missing: found.missing },
    mark: {
      digest,
      ...(isAd ? now && { usn: now.usn, service: now.service } : time !== null && { time }),
      ...(cookie !== undefined && isAd && { cookie }),
      groups: found.groups,
    },
  };

  async function everyone() {
    const { groupSearch } = directory;
    const hasGroups = groupSearch !== null && directory.groupValues.length > 0;
    const known = hasGroups ? await readMemberships(connection, directory, groupSearch) : null;
    await readPages(directory.everyone!, known ?? askingForEach(pool, directory));
    const unknown = known?.missing ?? [];
    const notes =
      unknown.length === 0 ? [] : [`The directory has no group ${unknown.map((value) => `“${value}”`).join(", ")}, which mappers name.`];
    return { groups: "", notes, missing: null, cookie: undefined };
  }

  async function changes(from: Mark, filter: Filter) {
    const { groupSearch } = directory;
    const hasGroups = groupSearch !== null && directory.groupValues.length > 0;
    const groups = hasGroups ? await changedGroups(filter) : "";
    const known = groups !== "" && groups !== from.groups ? await readMemberships(connection, directory, groupSearch!) : null;
    const memberships = known ?? askingForEach(pool, directory);
    const sync = isAd && now !== null ? await readDirSync(connection, directory, now.domain, from.cookie ?? "") : null;
    const isRefused = typeof sync === "string";
    // Without a cookie DirSync returns all people, so the first answer only gives the cookie for the next run.
    const bySync = sync !== null && !isRefused && from.cookie !== undefined ? sync : null;
    const missing = bySync === null ? null : await readIds([...bySync.changed], memberships);
    if (bySync === null) await readPages(allOf(directory.everyone!, filter), memberships);
    if (known) for await (const ids of writer.regrouped(known)) await readIds(ids, memberships);
    return { groups, missing, notes: isRefused ? [sync] : [], cookie: sync === null || isRefused ? undefined : sync.cookie };
  }

  async function readPages(filter: Filter, memberships: Memberships): Promise<void> {
    const attributes = [...directory.attributes, ...(isAd ? [] : ["modifyTimestamp"])];
    for await (const page of connection.pages({ base: directory.searchBase, scope: "sub", filter, attributes }, PAGE)) {
      if (!isAd) for (const entry of page) latest.see(entry.text("modifyTimestamp"));
      await writer.take(page, memberships);
    }
  }

  /** Reads entries by their ids, and takes those that are still people. Returns the ids of the others. */
  async function readIds(ids: readonly string[], memberships: Memberships): Promise<ReadonlySet<string>> {
    const { idAttribute, searchBase: base, attributes } = directory;
    const missing = new Set(ids);
    for (let at = 0; at < ids.length; at += AT_ONCE) {
      const named = anyOf(...ids.slice(at, at + AT_ONCE).map((id) => equals(idAttribute, idValue(id, idAttribute))));
      for await (const page of connection.pages({ base, scope: "sub", filter: allOf(directory.everyone!, named), attributes }, PAGE)) {
        for (const entry of page) missing.delete(entryId(entry, idAttribute) ?? "");
        await writer.take(page, memberships);
      }
    }
    return missing;
  }

  /** Returns a hash of the groups that have changed, or an empty text if none has. */
  async function changedGroups(changed: Filter): Promise<string> {
    const { base, filter } = directory.groupSearch!;
    const stamps = isAd ? ["uSNChanged"] : ["modifyTimestamp", "entryCSN"];
    const hash = createHash("sha256");
    let count = 0;
    const request = { base, scope: "sub", filter: allOf(filter, changed), attributes: stamps } as const;
    for await (const page of connection.pages(request, PAGE)) {
      for (const group of page) {
        if (!isAd) latest.see(group.text("modifyTimestamp"));
        hash.update(JSON.stringify([dnKey(group.dn), ...stamps.map((stamp) => group.text(stamp))]));
        count += 1;
      }
    }
    return count === 0 ? "" : hash.digest("base64url").slice(0, 22);
  }
}

/** Keeps the latest time that it was shown. */
const newest = (from: string | null) => ({
  stamp: from,
  see(text: string | null) {
    const stamp = stampOf(text);
    if (stamp !== null && (this.stamp === null || stamp > this.stamp)) this.stamp = stamp;
  },
});

interface Controller {
  readonly usn: string;
  readonly service: string;
  readonly domain: string;
}

/** Reads the domain controller that answers. Each one counts changes with its own numbers, so the numbers of another mean nothing here. */
async function readController(connection: LdapConnection): Promise<Controller | null> {
  const attributes = ["highestCommittedUSN", "dsServiceName", "defaultNamingContext"];
  const [root] = await connection.search({ base: "", scope: "base", filter: parseFilter("(objectClass=*)"), attributes });
  const [usn = "", service = "", domain = ""] = attributes.map((name) => root?.text(name) ?? "");
  return /^\d{1,19}$/.test(usn) && service !== "" ? { usn, service, domain } : null;
}

/** Returns the filter for changes since a mark, or null if only a full read finds them. */
function changesSince({ usn, service, time }: Mark, now: Controller | null): Filter | null {
  if (now !== null) return usn !== undefined && service === now.service ? sinceUsn(usn) : null;
  return time === undefined ? null : sinceTime(time);
}
