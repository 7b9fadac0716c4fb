import type { KeyObject } from "node:crypto";
import { clock, HOUR, MINUTE, SECOND } from "../../kernel/clock.ts";
import { systemActor } from "../../platform/context.ts";
import type { Db } from "../../platform/db/index.ts";
import { retryingConflicts, type UnitOfWork } from "../../platform/unit-of-work.ts";
import { digestOf, isLeaving, wantedGroup, wantedUser } from "./mapping.ts";
import { holdMass } from "./mass.ts";
import { classify, dropObject, dueObjects, type StoredObject, storeFailure, unclassified } from "./objects.store.ts";
import { denied, ObjectRefused, type Peer, PeerError, PROBE } from "./peer.ts";
import { readPeople, readTeams } from "./people.store.ts";
import type { ObjectKind } from "./schema.ts";
import { ObjectGone } from "./send.ts";
import { sendGroup } from "./send-group.ts";
import { sendUser } from "./send-user.ts";
import {
  clearStrikes,
  type HeldTarget,
  keepLease,
  noteFailing,
  pauseTarget,
  readWalk,
  resumeTarget,
  suspendTarget,
} from "./states.store.ts";
import { walkOn } from "./walk.ts";

export interface LaneParts {
  readonly db: Db;
  readonly work: UnitOfWork;
  readonly target: HeldTarget;
  readonly peer: Peer;
  readonly key: KeyObject;
  readonly signal: AbortSignal;
  /** Called when an object was sent, refused or given up. */
  readonly ended: (outcome: "sent" | "failed" | "dead") => void;
}

const BATCH = 100;
/** After this time a lane begins anew, with the settings of that moment. */
const SLICE = 30 * SECOND;
/** The waits between the attempts for one object while the target has errors of its own. After the last attempt it is given up. */
const WAITS = [5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE, 2 * HOUR, 6 * HOUR];
/** The pauses of a target that cannot be reached, or does not say how long it is busy. */
const FIRST_PAUSE = 5 * SECOND;
const LONGEST_PAUSE = 10 * MINUTE;

/** After this many consecutive errors of the target's own, for any objects, it is paused. */
const FAULTS_IN_A_ROW = 5;

/** Thrown if the lease is lost, or the slice of time is over. */
class LaneEnded extends Error {}

const EXTEND_EVERY = 10 * SECOND;

/** Returns a function that extends the lease while requests are made. It throws if another node has the target, which may already be sending. */
export function leaseOf(db: Db, target: HeldTarget): () => Promise<void> {
  let extendedAt = clock.now();
  return async () => {
    const now = clock.now();
    if (now - extendedAt < EXTEND_EVERY) return;
    if (!(await keepLease(db, target))) throw new LaneEnded();
    extendedAt = now;
  };
}

/** Does everything that is due for one target. Tells whether there may be more to do at once. */
export async function runLane(parts: LaneParts): Promise<boolean> {
  const endsAt = clock.now() + SLICE;
  const goOn = async () => {
    parts.signal.throwIfAborted();
    if (clock.now() > endsAt || !(await keepLease(parts.db, parts.target))) throw new LaneEnded();
  };
  try {
    if (parts.target.suspendedAt !== null) await probe(parts);
    await walkAll(parts, goOn);
    await classifyAll(parts, goOn);
    await holdMass(parts);
    await sendAll(parts, goOn);
    return false;
  } catch (error) {
    if (error instanceof LaneEnded) return true;
    if (!(error instanceof PeerError)) throw error;
    await rest(parts, error);
    return false;
  } finally {
    if (!parts.signal.aborted) await noteFailing(parts.db, parts.target);
  }
}

/** Resumes a target that refused us if it accepts us again; otherwise throws. */
async function probe({ db, peer, target }: LaneParts): Promise<void> {
  const answer = await peer.request("GET", PROBE);
  if (!answer.ok) throw denied("The target does not let us in", answer);
  await resumeTarget(db, target);
}

async function walkAll(parts: LaneParts, goOn: () => Promise<void>): Promise<void> {
  let walk = await readWalk(parts.db, parts.target, clock.now());
  while (walk) {
    await goOn();
    walk = await walkOn(parts, walk);
  }
}

/** Finds the accounts that leave before anything is sent, because a mass of them must be noticed first. Drops objects that need nothing. */
async function classifyAll({ db, target, key }: LaneParts, goOn: () => Promise<void>): Promise<void> {
  for (;;) {
    await goOn();
    const objects = await unclassified(db, target, BATCH * 5, clock.now());
    if (objects.length === 0) return;
    const of = (kind: ObjectKind) => objects.filter((object) => object.kind === kind).map(({ local_id }) => local_id);
    const [people, teams] = [await readPeople(db, target, of("user")), await readTeams(db, target, of("group"))];
    const classified = objects.map((object) => {
      const wanted =
        object.kind === "user"
          ? wantedUser(target.settings, people.get(object.local_id), object.erased)
          : wantedGroup(target.settings, teams.get(object.local_id));
      const isNeedless = object.remote_id === null && (isLeaving(wanted) || wanted.act === "none");
      return { object, isNeedless, leaving: isLeaving(wanted) && object.sent_digest !== digestOf(key, wanted) };
    });
    await retryingConflicts(db, async (tx) => {
      for (const { object, isNeedless } of classified) if (isNeedless) await dropObject(tx, target, object);
      await classify(
        tx,
        target,
        classified.filter(({ isNeedless }) => !isNeedless),
      );
    });
  }
}

/** Sends users before groups, because a group is sent with those members who have an account there. */
async function sendAll(parts: LaneParts, goOn: () => Promise<void>): Promise<void> {
  const { db, target, peer } = parts;
  let faults = 0;
  for (const kind of ["user", "group"] as const) {
    for (;;) {
      await goOn();
      const objects = await dueObjects(db, target, kind, kind === "user" ? BATCH : 1, clock.now());
      if (objects.length === 0) break;
      const ids = objects.map(({ local_id }) => local_id);
      const people = kind === "user" ? await readPeople(db, target, ids) : null;
      const teams = kind === "group" ? await readTeams(db, target, ids) : null;
      const send = (object: StoredObject) =>
        people ? sendUser(parts, object, people.get(object.local_id)) : sendGroup(parts, object, teams!.get(object.local_id));
      await eachOf(objects, people ? peer.preset.atOnce : 1, async (object) => {
        const isFault = (await sendOne(parts, object, send)) === "fault";
        faults = isFault ? faults + 1 : 0;
        if (faults >= FAULTS_IN_A_ROW) throw new PeerError("busy", "The target has errors of its own.");
      });
      await clearStrikes(db, target, clock.now());
    }
  }
}

/** Runs several at once. After the first failure that concerns the target no more are started; those that are running are finished. */
async function eachOf<T>(items: readonly T[], atOnce: number, run: (item: T) => Promise<void>): Promise<void> {
  let [next, isStopped] = [0, false];
  const worker = async () => {
    while (!isStopped && next < items.length) {
      try {
        await run(items[next++]!);
      } catch (error) {
        isStopped = true;
        throw error;
      }
    }
  };
  const outcomes = await Promise.allSettled(Array.from({ length: Math.min(atOnce, items.length) }, worker));
  const failed = outcomes.find((outcome) => outcome.status === "rejected");
  if (failed) throw failed.reason;
}

async function sendOne(
  parts: LaneParts,
  object: StoredObject,
  send: (object: StoredObject) => Promise<void>,
): Promise<"sent" | "refused" | "fault"> {
  const { db, target } = parts;
  try {
    await send(object);
    parts.ended("sent");
    return "sent";
  } catch (error) {
    if (error instanceof ObjectGone) return "sent";
    const now = clock.now();
    if (error instanceof ObjectRefused) {
      const digest = await digestNow(parts, object);
      await retryingConflicts(db, (tx) => storeFailure(tx, target, object, { state: "FAILED", digest, error: error.message, nextAt: now }));
      parts.ended("failed");
      return "refused";
    }
    if (!(error instanceof PeerError) || error.failure !== "fault") throw error;
    const wait = WAITS[object.attempts];
    const state = wait === undefined ? "DEAD" : "PENDING";
    const nextAt = wait === undefined ? now : now + Math.round(wait * (1 + Math.random() * 0.2));
    const digest = state === "DEAD" ? await digestNow(parts, object) : object.failed_digest;
    await retryingConflicts(db, (tx) => storeFailure(tx, target, object, { state, digest, error: error.aboutObject, nextAt }));
    if (state === "DEAD") parts.ended("dead");
    return "fault";
  }
}

/** Returns the digest of a refused object, so that a full sync does not send the same again. */
async function digestNow({ db, target, key }: LaneParts, { kind, local_id: id, erased }: StoredObject): Promise<string> {
  const wanted =
    kind === "user"
      ? wantedUser(target.settings, (await readPeople(db, target, [id])).get(id), erased)
      : wantedGroup(target.settings, (await readTeams(db, target, [id])).get(id));
  return digestOf(key, wanted);
}

/** Suspends or pauses a target that failed as a whole. No attempt is counted for any object. */
async function rest({ db, work, target }: LaneParts, error: PeerError): Promise<void> {
  const now = clock.now();
  if (error.failure === "denied") {
    await work.transact({ realm: target.realm, actor: systemActor(target.realm), sourceIp: null }, async (ctx) => {
      if (!(await suspendTarget(ctx.tx, target, error.message, now))) return;
      ctx.audit({
        ...{ category: "ADMIN", type: "SCIM_TARGET_SUSPENDED", resourceType: "scim-targets", resourceId: target.targetId },
        outcome: "FAILURE",
        detail: error.message,
      });
    });
    return;
  }
  const wait = error.waitMs ?? Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** target.strikes);
  await pauseTarget(db, target, now + Math.max(SECOND, wait), error.message);
}
