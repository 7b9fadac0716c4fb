import type { KeyObject } from "node:crypto";
import { clock } from "../../kernel/clock.ts";
import type { Db, Tx } from "../../platform/db/index.ts";
import { retryingConflicts } from "../../platform/unit-of-work.ts";
import type { Resource } from "../../protocols/scim/index.ts";
import { type Criterion, findRemote } from "./accounts.ts";
import { type StoredObject, storeErased, storeRemoteId } from "./objects.store.ts";
import { denied, idOf, ObjectRefused, type Peer, type PeerAnswer, PeerError } from "./peer.ts";
import type { HeldTarget } from "./states.store.ts";

export interface SendParts {
  readonly db: Db;
  readonly target: HeldTarget;
  readonly peer: Peer;
  readonly key: KeyObject;
}

export const transact = <T>({ db }: Pick<SendParts, "db">, work: (tx: Tx, now: number) => Promise<T>): Promise<T> =>
  retryingConflicts(db, (tx) => work(tx, clock.now()));

const PATCH_OP = "urn:ietf:params:scim:api:messages:2.0:PatchOp";

export const patchOf = (operations: readonly Resource[]): Resource => ({ schemas: [PATCH_OP], Operations: operations });

export const at = (path: "/Users" | "/Groups", remoteId: string): string => `${path}/${encodeURIComponent(remoteId)}`;

/** Throws if the request was not successful: an answer that the caller did not handle is the target's refusal of this object. */
export function expectOk(answer: PeerAnswer): void {
  if (!answer.ok) throw new ObjectRefused(answer.detail);
}

/** Tells whether the resource no longer exists at the target. */
export const isMissing = ({ status }: PeerAnswer): boolean => status === 404 || status === 410;

interface Creation {
  readonly path: "/Users" | "/Groups";
  readonly criteria: readonly Criterion[];
  readonly body: Resource;
}

/**
 * Returns the id at the target of an object without a known one. It is always searched first: an earlier request may have arrived although its answer
 * did not, and accounts may be older than the target. `isNew`: it was created with exactly this body.
 */
export async function createOrAdopt(
  parts: SendParts,
  object: StoredObject,
  { path, criteria, body }: Creation,
): Promise<{ readonly remoteId: string; readonly isNew: boolean }> {
  const { peer } = parts;
  const adopt = async (resource: Resource | null) => {
    const id = idOf(resource);
    return id === null ? null : { remoteId: await claim(parts, object, id), isNew: false };
  };
  const known = await adopt(await findRemote(peer, path, criteria));
  if (known) return known;
  const answer = await peer.request("POST", path, body);
  if (answer.status === 409) {
    const taken = await adopt(await findRemote(peer, path, criteria));
    if (taken) return taken;
    const ways = criteria.map(({ by }) => by).join(", ");
    throw new ObjectRefused(`${answer.detail} No account was found there by ${ways} that could be adopted.`);
  }
  if (answer.status === 404 || answer.status === 405 || answer.status === 501) throw denied(`${path} is not served there`, answer);
  expectOk(answer);
  const id = idOf(answer.body) ?? answer.locationId;
  if (id !== null) return { remoteId: await claim(parts, object, id), isNew: true };
  const found = await adopt(await findRemote(peer, path, criteria));
  if (!found) throw new PeerError("fault", "The target answered a creation without an id, and does not find what was created.");
  return found;
}

/** The object was deleted here while the request was under way, as the user was erased. Nothing more is sent of it. */
export class ObjectGone extends Error {
  override readonly name = "ObjectGone";
}

/** Stores the id at the target before anything else happens, so that a crash does not lose it. */
async function claim({ db, target }: SendParts, object: StoredObject, remoteId: string): Promise<string> {
  const stored = await storeRemoteId(db, target, object, remoteId);
  if (stored === "taken") throw new ObjectRefused("The account that matches belongs to another user or group of this realm.");
  if (stored === "stored") return remoteId;
  if (object.kind === "user") await storeErased(db, target, remoteId, clock.now());
  throw new ObjectGone();
}
