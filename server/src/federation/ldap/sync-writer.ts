import { findTaken } from "../../directory/import/index.ts";
import { refusalOfUsername, releaseLoginNames } from "../../directory/users/index.ts";
import { loginKey } from "../../kernel/text.ts";
import { type Ctx, systemActor } from "../../platform/context.ts";
import type { LdapEntry } from "../../platform/ldap/index.ts";
import { grantsOfMappers } from "../providers/mapper-grants.ts";
import type { Directory } from "./directory.ts";
import { changedEntries, erasedAmong, groupedEntriesAfter, type KnownEntry } from "./entries.store.ts";
import { erasureHash, erasureKey } from "./erasure.store.ts";
import { describePerson } from "./mapper-claims.ts";
import { groupsHash, type KnownMemberships, type Memberships } from "./memberships.ts";
import { disableMissing, findMissing, looksWrong } from "./missing-users.ts";
import { createPeople, type Outcome } from "./new-people.ts";
import { rejoinFormer, updatePerson } from "./people.ts";
import { type EntryFault, isFault, type Person, readPerson } from "./person.ts";
import type { Report } from "./runs.store.ts";
import type { SyncOptions, SyncParts } from "./sync-parts.ts";

const MAX_ERRORS = 100;
const BATCH = 1_000;
/** The limit on people whose name another user has. They are kept until the run knows who is missing, which may free the name. */
const MAX_DEFERRED = 10_000;
const TAKEN = "Another user has this username or mail address.";

/** Drops the ADMIN events of single users: a run records one event of its own, and for each user only events that concern their security. */
const quiet = (ctx: Ctx): Ctx => ({ ...ctx, audit: (draft) => draft.category !== "ADMIN" && ctx.audit(draft) });

/** Entries that differ from their stored state: by id, with that state, or with null if nothing was stored. */
type ChangedEntries = ReadonlyMap<string, KnownEntry | null>;

/** Takes the pages of a run, and determines at the end who is missing. */
export function createSyncWriter(parts: SyncParts, directory: Directory, { dryRun, confirm }: SyncOptions, startedAt: number) {
  const { db, work, vault } = parts;
  const { realm, providerId, config } = directory.provider;
  const owner = { realm, providerId };
  const counts = { synced: 0, created: 0, updated: 0, disabled: 0, skipped: 0, failed: 0 };
  const errors: { dn: string; message: string }[] = [];
  const seen = new Set<string>();
  const deferred: Person[] = [];

  const transact = <T>(run: (ctx: Ctx) => Promise<T>): Promise<T> =>
    work.transact({ realm, actor: systemActor(realm, directory.source), sourceIp: null }, (ctx) => run(quiet(ctx)));
  const fail = (dn: string, message: string) => {
    counts.failed += 1;
    if (errors.length < MAX_ERRORS) errors.push({ dn: dn.slice(0, 500), message });
  };
  const count = (person: Person, outcome: Outcome) => {
    if (outcome === "taken") fail(person.dn, TAKEN);
    else if (typeof outcome === "object") fail(person.dn, outcome.message);
    else if (outcome !== "unchanged") counts[outcome] += 1;
  };

  /** Creates new users in bulk, and updates changed ones one by one. */
  const write = async (people: readonly Person[], known: ChangedEntries): Promise<Map<Person, Outcome>> => {
    const newcomers = people.filter(({ subject }) => !known.get(subject));
    const changed = people.filter(({ subject }) => known.get(subject));
    if (dryRun) return predicted(newcomers, changed);
    return transact(async (ctx) => {
      const outcomes = new Map<Person, Outcome>(
        newcomers.length > 0 ? await createPeople(ctx, directory, newcomers, await grantsOfMappers(ctx, directory.provider, true)) : [],
      );
      for (const person of changed) outcomes.set(person, await updatePerson(ctx, directory, person, known.get(person.subject)!));
      return outcomes;
    });
  };

  const predicted = async (newcomers: readonly Person[], changed: readonly Person[]): Promise<Map<Person, Outcome>> => {
    const taken = await findTaken(db, realm, newcomers.flatMap(keysOf));
    const outcomes = new Map<Person, Outcome>(changed.map((person) => [person, person.enabled ? "updated" : "disabled"]));
    for (const person of newcomers) {
      const isTaken = keysOf(person).some((key) => taken.has(key));
      outcomes.set(person, refusalOfUsername(person.username) ?? (isTaken ? "taken" : "created"));
    }
    return outcomes;
  };

  const describe = async (entry: LdapEntry, memberships: Memberships): Promise<Person | EntryFault> => {
    const plain = readPerson(config, entry);
    if (isFault(plain)) return plain;
    return describePerson(directory, entry, await memberships.of(entry, plain.username));
  };

  return {
    async take(entries: readonly LdapEntry[], memberships: Memberships): Promise<void> {
      const people: Person[] = [];
      for (const entry of entries) {
        counts.synced += 1;
        // Without groups there is nothing to ask the directory for, so `describe` is not awaited.
        const person = directory.groupValues.length === 0 ? describePerson(directory, entry, []) : await describe(entry, memberships);
        if (isFault(person)) fail(person.dn, person.message);
        else if (seen.has(person.subject)) fail(person.dn, "Another entry of this run has the same id.");
        else {
          seen.add(person.subject);
          people.push(person);
        }
      }
      const known = await changedEntries(db, owner, people);
      const wanted = await wantedAmong(people, known);
      if (wanted.length === 0) return;
      for (const [person, outcome] of await write(wanted, known)) {
        if (outcome === "taken" && deferred.length < MAX_DEFERRED) deferred.push(person);
        else count(person, outcome);
      }
    },

    /** Yields the ids of entries whose groups have changed. */
    async *regrouped(memberships: KnownMemberships): AsyncGenerator<readonly string[]> {
      for (let after = ""; ; ) {
        const batch = await groupedEntriesAfter(db, owner, after, BATCH);
        const others = batch.filter(({ dn, username, groups }) => groupsHash(memberships.ofKnown(dn, username)) !== groups);
        const ids = others.map(({ subject }) => subject).filter((subject) => !seen.has(subject));
        if (ids.length > 0) yield ids;
        if (batch.length < BATCH) return;
        after = batch.at(-1)!.subject;
      }
    },

    /** Disables users without an entry: the `unseen` ones after a full read, or those with these ids. Returns a note for administrators. */
    async finish(who: "unseen" | ReadonlySet<string> | null): Promise<string | null> {
      let message: string | null = null;
      if (who === "unseen" || (who !== null && who.size > 0)) {
        const isMissing = (subject: string) => (who === "unseen" ? !seen.has(subject) : who.has(subject));
        const { missing, known } = await findMissing(db, owner, startedAt, isMissing);
        message =
          missing.length === 0 || confirm ? null : looksWrong(missing.length, known, who === "unseen" ? seen.size : known - missing.length);
        if (message === null && dryRun) counts.disabled += missing.length;
        else if (message === null) {
          const { disabled, refused } = await disableMissing(transact, directory, missing);
          counts.disabled += disabled;
          for (const { dn, message: why } of refused) fail(dn, why);
        }
      }
      const renamed: string[] = [];
      for (let at = 0; at < deferred.length; at += 100) {
        const people = deferred.slice(at, at + 100);
        const known = await changedEntries(db, owner, people);
        const waiting = people.filter(({ subject }) => known.has(subject));
        const rejoined = dryRun ? new Map<Person, Outcome>() : await transact((ctx) => rejoin(ctx, waiting, known));
        for (const [person, outcome] of rejoined) count(person, outcome);
        const others = waiting.filter((person) => !rejoined.has(person));
        // The names of missing users become free for others.
        if (!dryRun) renamed.push(...(await transact((ctx) => releaseLoginNames(ctx.tx, realm, providerId, others.flatMap(keysOf)))));
        for (const [person, outcome] of await write(others, known)) count(person, outcome);
      }
      return [message, reusedNames(renamed)].filter((note) => note !== null).join(" ") || null;
    },

    report: (message: string | null): Report => ({ ...counts, errors: [...errors], message }),
  };

  async function rejoin(ctx: Ctx, people: readonly Person[], known: ChangedEntries): Promise<Map<Person, Outcome>> {
    const rejoined = new Map<Person, Outcome>();
    for (const person of people) {
      const outcome = known.get(person.subject) === null ? await rejoinFormer(ctx, directory, person) : null;
      if (outcome !== null) rejoined.set(person, outcome);
    }
    return rejoined;
  }

  /** Returns the people that need a write: changed, not erased, and without a user only where the directory creates users. */
  async function wantedAmong(people: readonly Person[], known: ChangedEntries): Promise<Person[]> {
    const changed = people.filter(({ subject }) => known.has(subject));
    const newcomers = changed.filter(({ subject }) => known.get(subject) === null);
    const key = await erasureKey(db, vault);
    const hashes = new Map(newcomers.map((person) => [person, erasureHash(key, owner, person.subject)]));
    const erased = await erasedAmong(db, owner, [...hashes.values()]);
    const isUnwanted = (person: Person) => hashes.has(person) && (!directory.provisions || erased.has(hashes.get(person)!));
    counts.skipped += newcomers.filter(isUnwanted).length;
    return changed.filter((person) => !isUnwanted(person));
  }
}

/** Returns a note for the report: former users cannot be enabled once another user has their name. */
const reusedNames = (keys: readonly string[]): string | null =>
  keys.length === 0
    ? null
    : `${keys.length === 1 ? "The name or address" : "Names or addresses"} ${keys
        .slice(0, 5)
        .map((key) => `“${key}”`)
        .join(
          ", ",
        )}${keys.length > 5 ? " and others" : ""} of former users went to new users. If an entry has only returned under another id, delete the new user and set returningEntries to former.`;

const keysOf = ({ username, email }: Person): string[] => [loginKey(username), ...(email === null ? [] : [loginKey(email)])];
