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
  /** Ids of people whose groups are not what was kept of them. */
  regrouped(memberships: KnownMemberships): AsyncIterable<readonly string[]>;
}

export interface Reading {
  readonly kind: RunKind;
  /** For the next time. */
  readonly mark: Mark;
  readonly notes: readonly string[];
  /** The ids that changed and are no longer found, in a run of changes. Null: it cannot say. */
  readonly missing: ReadonlySet<string> | null;
}

/**
 * Every page of a directory, or of what has changed since `mark`. Groups come first: people who are read next find all their groups. The mark for the
 * next time is in AD a number of this domain controller, elsewhere the latest time of a change, by the directory's own clock.
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
    // The first time DirSync answers with all people: that is only where the next run goes on.
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

  /** Entries by their ids, as far as they are people still. Answers the ids that are not. */
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

  /** A hash of the groups that have changed, empty for none. */
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

/** The latest time that was seen. */
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

/** Numbers of changes are each controller's own: another controller means another count. */
async function readController(connection: LdapConnection): Promise<Controller | null> {
  const attributes = ["highestCommittedUSN", "dsServiceName", "defaultNamingContext"];
  const [root] = await connection.search({ base: "", scope: "base", filter: parseFilter("(objectClass=*)"), attributes });
  const [usn = "", service = "", domain = ""] = attributes.map((name) => root?.text(name) ?? "");
  return /^\d{1,19}$/.test(usn) && service !== "" ? { usn, service, domain } : null;
}

/** The filter for changes since a mark; null: only a full read finds them. */
function changesSince({ usn, service, time }: Mark, now: Controller | null): Filter | null {
  if (now !== null) return usn !== undefined && service === now.service ? sinceUsn(usn) : null;
  return time === undefined ? null : sinceTime(time);
}
