import type { Resource } from "../../protocols/scim/index.ts";
import { criteriaOf } from "./accounts.ts";
import { digestOf, isLeaving, missingPaths, userNameOf, type Wanted, wantedUser } from "./mapping.ts";
import { forgetMembersOf } from "./members.store.ts";
import { dropObject, markGroupsOf, markObjects, type StoredObject, storeGone, storeRemoteId, storeSent } from "./objects.store.ts";
import { ObjectRefused } from "./peer.ts";
import type { Person } from "./people.store.ts";
import type { Settings } from "./schema.ts";
import { at, createOrAdopt, expectOk, isMissing, patchOf, type SendParts, transact } from "./send.ts";

/** Brings the account of one user at the target into the wanted state. */
export async function sendUser(parts: SendParts, object: StoredObject, person: Person | undefined): Promise<void> {
  const { target, key } = parts;
  const wanted = wantedUser(target.settings, person, object.erased);
  const digest = digestOf(key, wanted);
  const sent = (remoteId: string | null) => transact(parts, (tx, now) => storeSent(tx, target, object, { remoteId, digest }, now));
  // The user has left since the lane classified them: a mass of such users must be noticed first.
  if (isLeaving(wanted) && object.leaving === false && object.remote_id !== null && object.sent_digest !== digest)
    return transact(parts, (tx, now) => markObjects(tx, target, "user", [object.local_id], now));
  switch (wanted.act) {
    case "refuse":
      throw new ObjectRefused(wanted.reason);
    case "none":
      // A user who is gone for good needs no row; another may come back.
      if (!person || object.remote_id === null) return transact(parts, (tx) => dropObject(tx, target, object));
      return sent(object.remote_id);
    case "delete":
      return remove(parts, object);
    case "deactivate": {
      if (object.remote_id === null) return transact(parts, (tx) => dropObject(tx, target, object));
      if (object.sent_digest === digest) return sent(object.remote_id);
      const isThere = await deactivate(parts, object.remote_id, wanted.body);
      if (!person || !isThere) return forget(parts, object);
      return sent(object.remote_id);
    }
    case "keep": {
      const remoteId = await keep(parts, object, person!, wanted, digest);
      return sent(remoteId);
    }
  }
}

async function keep(
  parts: SendParts,
  object: StoredObject,
  person: Person,
  { body }: Extract<Wanted, { act: "keep" }>,
  digest: string,
): Promise<string> {
  const { target, peer } = parts;
  if (object.remote_id !== null) {
    if (object.sent_digest === digest || (await update(parts, object.remote_id, body))) return object.remote_id;
    // Others have deleted the account there, so it is created anew.
    await transact(parts, async (tx) => {
      await storeRemoteId(tx, target, object, null);
      await forgetMembersOf(tx, target, { userId: object.local_id });
    });
  }
  const criteria = criteriaOf(target.settings, peer, person, userNameOf(target.settings, person)!);
  const { remoteId, isNew } = await createOrAdopt(parts, object, { path: "/Users", criteria, body });
  if (!isNew && !(await update(parts, remoteId, body)))
    throw new ObjectRefused("The account that matches cannot be changed: it is not found by its id.");
  await transact(parts, (tx, now) => markGroupsOf(tx, target, object.local_id, now));
  return remoteId;
}

/** Returns false if there is no such account. */
async function update({ peer, target }: SendParts, remoteId: string, body: Resource): Promise<boolean> {
  const answer =
    peer.preset.update === "put"
      ? await peer.request("PUT", at("/Users", remoteId), { ...body, id: remoteId })
      : await peer.request("PATCH", at("/Users", remoteId), patchOf(changes(target.settings, body)));
  if (isMissing(answer)) return false;
  expectOk(answer);
  return true;
}

/** Sets the user's attributes and removes the absent ones by name: a PATCH does not change attributes that it does not name. */
const changes = (settings: Settings, { schemas: _, ...attributes }: Resource): Resource[] => [
  { op: "replace", value: attributes },
  ...missingPaths(settings, attributes).map((path) => ({ op: "remove", path })),
];

/** Returns false if there is no such account. */
async function deactivate({ peer }: SendParts, remoteId: string, body: Resource | null): Promise<boolean> {
  if (body !== null && peer.preset.update === "put") {
    const answer = await peer.request("PUT", at("/Users", remoteId), { ...body, id: remoteId });
    if (isMissing(answer)) return false;
    expectOk(answer);
    return true;
  }
  const answer = await peer.request("PATCH", at("/Users", remoteId), patchOf([{ op: "replace", path: "active", value: false }]));
  if (isMissing(answer)) return false;
  if (answer.status !== 405 && answer.status !== 501) {
    expectOk(answer);
    return true;
  }
  // The service has no PATCH, and the user no longer exists here: the service's own resource is sent back as inactive.
  const current = await peer.request("GET", at("/Users", remoteId));
  if (isMissing(current)) return false;
  if (!current.ok || !current.body) throw new ObjectRefused(current.detail);
  expectOk(await peer.request("PUT", at("/Users", remoteId), { ...current.body, active: false }));
  return true;
}

async function remove(parts: SendParts, object: StoredObject): Promise<void> {
  if (object.remote_id !== null) {
    const answer = await parts.peer.request("DELETE", at("/Users", object.remote_id));
    if (!isMissing(answer)) expectOk(answer);
  }
  await forget(parts, object);
}

const forget = (parts: SendParts, object: StoredObject): Promise<void> =>
  transact(parts, async (tx, now) => {
    await forgetMembersOf(tx, parts.target, { userId: object.local_id });
    await storeGone(tx, parts.target, object, now);
  });
