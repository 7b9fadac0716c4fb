import { findTaken } from "../../directory/import/index.ts";
import { releaseLoginNames } from "../../directory/users/index.ts";
import { loginKey } from "../../kernel/text.ts";
import { type Ctx, systemActor } from "../../platform/context.ts";
import type { LdapEntry } from "../../platform/ldap/index.ts";
import { isFault, type Person, readPerson } from "../identity-providers/index.ts";
import type { Directory } from "./directory.ts";
import { erasedAmong, type KnownEntry, knownEntries } from "./entries.store.ts";
import { erasureHash } from "./erasure.ts";
import { disableGone, findGone, looksWrong } from "./gone.ts";
import { createPeople, type Outcome, updatePerson } from "./people.ts";
import type { Report } from "./runs.store.ts";
import type { SyncOptions, SyncParts } from "./sync-parts.ts";

const MAX_ERRORS = 100;
/** People whose name another user has, kept until it is known who is gone. */
const MAX_DEFERRED = 10_000;
const TAKEN = "Another user has this username or mail address.";

/** One event tells of a run; of each user only what touches their security. */
const quiet = (ctx: Ctx): Ctx => ({ ...ctx, audit: (draft) => draft.category !== "ADMIN" && ctx.audit(draft) });

/** Takes the pages of a run, and knows at its end who is gone. */
export function createSink(parts: SyncParts, directory: Directory, { dryRun, confirm }: SyncOptions) {
  const { db, work, vault } = parts;
  const { realm, providerId, config } = directory.provider;
  const owner = { realm, providerId };
  const counts = { synced: 0, created: 0, updated: 0, disabled: 0, skipped: 0, failed: 0 };
  const errors: { dn: string; message: string }[] = [];
  const seen = new Set<string>();
  let deferred: Person[] = [];

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

  /** New users in bulk, changed ones one by one. */
  const write = async (people: readonly Person[], known: ReadonlyMap<string, KnownEntry>): Promise<Map<Person, Outcome>> => {
    const newcomers = people.filter(({ subject }) => !known.has(subject));
    const changed = people.filter(({ subject }) => known.has(subject));
    if (dryRun) return predicted(newcomers, changed);
    return transact(async (ctx) => {
      const outcomes = newcomers.length > 0 ? await createPeople(ctx, directory, newcomers) : new Map<Person, Outcome>();
      for (const person of changed) outcomes.set(person, await updatePerson(ctx, directory, person, known.get(person.subject)!));
      return outcomes;
    });
  };

  const predicted = async (newcomers: readonly Person[], changed: readonly Person[]): Promise<Map<Person, Outcome>> => {
    const taken = await findTaken(db, realm, newcomers.flatMap(keysOf));
    const outcomes = new Map<Person, Outcome>(changed.map((person) => [person, person.enabled ? "updated" : "disabled"]));
    for (const person of newcomers) outcomes.set(person, keysOf(person).some((key) => taken.has(key)) ? "taken" : "created");
    return outcomes;
  };

  return {
    async take(entries: readonly LdapEntry[]): Promise<void> {
      const people: Person[] = [];
      for (const entry of entries) {
        counts.synced += 1;
        const person = readPerson(config, entry);
        if (isFault(person)) fail(person.dn, person.message);
        else if (seen.has(person.subject)) fail(person.dn, "Another entry of this run has the same id.");
        else {
          seen.add(person.subject);
          people.push(person);
        }
      }
      const known = await knownEntries(db, owner, [...people.map(({ subject }) => subject)]);
      const wanted = await welcome(people, known);
      if (wanted.length === 0) return;
      for (const [person, outcome] of await write(wanted, known)) {
        if (outcome === "taken" && deferred.length < MAX_DEFERRED) deferred.push(person);
        else count(person, outcome);
      }
    },

    /** `isWhole`: everything was read, so whoever was not seen is gone. Answers what an administrator should know. */
    async finish(isWhole: boolean): Promise<string | null> {
      let message: string | null = null;
      if (isWhole) {
        const { gone, known } = await findGone(db, owner, seen);
        message = gone.length === 0 || confirm ? null : looksWrong(gone.length, known, seen.size);
        if (message === null && dryRun) counts.disabled += gone.length;
        else if (message === null) {
          const { disabled, refused } = await disableGone(transact, directory, gone);
          counts.disabled += disabled;
          for (const { dn, message: why } of refused) fail(dn, why);
        }
      }
      const waiting = deferred;
      deferred = [];
      for (let at = 0; at < waiting.length; at += 100) {
        const people = waiting.slice(at, at + 100);
        const known = await knownEntries(db, owner, [...people.map(({ subject }) => subject)]);
        // The names of those who are gone are free for others.
        if (!dryRun) await transact((ctx) => releaseLoginNames(ctx.tx, realm, directory.provider.providerId, people.flatMap(keysOf)));
        for (const [person, outcome] of await write(people, known)) count(person, outcome);
      }
      return message;
    },

    report: (message: string | null): Report => ({ ...counts, errors: [...errors], message }),
  };

  /** Those about whom there is something to do: not unchanged, not erased, and new only where new users are made. */
  async function welcome(people: readonly Person[], known: ReadonlyMap<string, KnownEntry>): Promise<Person[]> {
    const changed = people.filter(({ subject, fingerprint }) => known.get(subject)?.fingerprint !== fingerprint);
    const newcomers = changed.filter(({ subject }) => !known.has(subject));
    const hashes = new Map(newcomers.map((person) => [person, erasureHash(vault, owner, person.subject)]));
    const erased = await erasedAmong(db, owner, [...hashes.values()]);
    const isUnwanted = (person: Person) => hashes.has(person) && (!directory.provisions || erased.has(hashes.get(person)!));
    counts.skipped += newcomers.filter(isUnwanted).length;
    return changed.filter((person) => !isUnwanted(person));
  }
}

const keysOf = ({ username, email }: Person): string[] => [loginKey(username), ...(email === null ? [] : [loginKey(email)])];
