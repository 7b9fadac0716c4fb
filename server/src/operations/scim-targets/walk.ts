import type { KeyObject } from "node:crypto";
import { clock } from "../../kernel/clock.ts";
import { NO_ID } from "../../kernel/ids.ts";
import type { Db } from "../../platform/db/index.ts";
import { retryingConflicts } from "../../platform/unit-of-work.ts";
import { digestOf, isLeaving, type Wanted, wantedGroup, wantedUser } from "./mapping.ts";
import { hasMemberChanges } from "./members.store.ts";
import { markObjects, objectsOf, type StoredObject, walkObjects } from "./objects.store.ts";
import { readPeople, readTeams, walkPeople, walkTeams } from "./people.store.ts";
import type { ObjectKind } from "./schema.ts";
import { type HeldTarget, moveWalk, type Walk, type WalkPhase } from "./states.store.ts";

const CHUNK = 500;

export interface WalkParts {
  readonly db: Db;
  readonly target: Pick<HeldTarget, "realm" | "targetId" | "settings">;
  readonly key: KeyObject;
}

/** A user or group that differs from its wanted state at the target. */
export interface Difference {
  readonly kind: ObjectKind;
  readonly id: string;
  readonly name: string | null;
  readonly object: StoredObject | undefined;
  readonly wanted: Wanted;
}

export interface Chunk {
  readonly differences: readonly Difference[];
  readonly unchanged: number;
  /** Null if the phase is done. */
  readonly after: string | null;
}

/** Compares the next users or groups of a full sync with what the target was sent. Nothing is written. */
export async function compareChunk(parts: WalkParts, phase: WalkPhase, after: string, resends: boolean): Promise<Chunk> {
  const { db, target } = parts;
  if (phase === "users") {
    const people = await walkPeople(db, target, after, CHUNK);
    const objects = await objectsOf(
      db,
      target,
      "user",
      people.map(({ userId }) => userId),
    );
    const compared = people.map((person) => ({
      kind: "user" as const,
      id: person.userId,
      name: person.username,
      object: objects.get(person.userId),
      wanted: wantedUser(target.settings, person),
    }));
    return chunkOf(parts, compared, resends, people.length < CHUNK ? null : people.at(-1)!.userId);
  }
  if (phase === "groups") {
    const teams = await walkTeams(db, target, after, CHUNK);
    const objects = await objectsOf(
      db,
      target,
      "group",
      teams.map(({ groupId }) => groupId),
    );
    const compared = [];
    for (const team of teams) {
      const [object, wanted] = [objects.get(team.groupId), wantedGroup(target.settings, team)];
      const entry = { kind: "group" as const, id: team.groupId, name: team.name, object, wanted };
      const differs = object?.state === "SYNCED" && (await hasMemberChanges(db, target, team.groupId));
      compared.push({ ...entry, differs });
    }
    return chunkOf(parts, compared, resends, teams.length < CHUNK ? null : teams.at(-1)!.groupId);
  }
  return compareObjects(parts, phase === "accounts" ? "user" : "group", after);
}

/** Compares objects that the target should no longer have: users and groups that are deleted or out of scope. Others were compared before. */
async function compareObjects(parts: WalkParts, kind: ObjectKind, after: string): Promise<Chunk> {
  const { db, target } = parts;
  const objects = await walkObjects(db, target, kind, after, CHUNK);
  const ids = objects.map(({ local_id }) => local_id);
  const people = kind === "user" ? await readPeople(db, target, ids) : null;
  const teams = kind === "group" ? await readTeams(db, target, ids) : null;
  const compared = objects
    .map((object) => {
      const [person, team] = [people?.get(object.local_id), teams?.get(object.local_id)];
      const wanted = people ? wantedUser(target.settings, person, object.erased) : wantedGroup(target.settings, team);
      const isInScope = person?.inScope ?? team?.inScope ?? false;
      return { isInScope, kind, id: object.local_id, name: person?.username ?? team?.name ?? null, object, wanted };
    })
    .filter(({ isInScope, object }) => !isInScope && object.state !== "GONE");
  return chunkOf(parts, compared, false, objects.length < CHUNK ? null : ids.at(-1)!);
}

function chunkOf(
  { key }: WalkParts,
  compared: readonly (Difference & { readonly differs?: boolean })[],
  resends: boolean,
  after: string | null,
): Chunk {
  const differences = compared.filter(({ object, wanted, differs }) => differs === true || isDifferent(key, object, wanted, resends));
  return { differences, unchanged: compared.length - differences.length, after };
}

function isDifferent(key: KeyObject, object: StoredObject | undefined, wanted: Wanted, resends: boolean): boolean {
  const digest = digestOf(key, wanted);
  // An account that never existed there need not be removed, and is not created only to be deactivated.
  if (!object?.remote_id && (isLeaving(wanted) || wanted.act === "none")) return object !== undefined && object.state !== "GONE";
  if (!object || object.state === "GONE") return true;
  if (resends && wanted.act === "keep") return true;
  switch (object.state) {
    case "SYNCED":
      return object.sent_digest !== digest;
    case "FAILED":
    case "DEAD":
      return object.failed_digest !== digest;
    case "HELD":
      // It waits to leave, so it differs only if it should stay.
      return !isLeaving(wanted);
    default:
      return false;
  }
}

const NEXT: Readonly<Record<WalkPhase, WalkPhase | null>> = {
  users: "accounts",
  accounts: "groups",
  groups: "former-groups",
  "former-groups": null,
};

/** Does one chunk of a full sync: marks the differences and stores the position in one transaction. Returns the rest, or null if it is done. */
export async function walkOn(parts: WalkParts & { readonly target: HeldTarget }, walk: Walk): Promise<Walk | null> {
  const { db, target } = parts;
  const phase = walk.phase ?? "users";
  const chunk = await compareChunk(parts, phase, walk.after ?? NO_ID, walk.resends);
  const next = chunk.after === null ? { phase: NEXT[phase], after: null } : { phase, after: chunk.after };
  await retryingConflicts(db, async (tx) => {
    const now = clock.now();
    for (const kind of ["user", "group"] as const)
      await markObjects(
        tx,
        target,
        kind,
        chunk.differences.filter((one) => one.kind === kind).map(({ id }) => id),
        now,
        walk.resends,
      );
    await moveWalk(tx, target, walk, next, now);
  });
  return next.phase === null ? null : { ...walk, ...next };
}
