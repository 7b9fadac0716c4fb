import { isObject } from "../../kernel/json.ts";
import type { Resource } from "../../protocols/scim/index.ts";
import { groupCriteria } from "./accounts.ts";
import { digestOf, wantedGroup } from "./mapping.ts";
import {
  forgetMembersOf,
  type MemberChange,
  membersToAdd,
  membersToRemove,
  storeAdded,
  storeKnownMembers,
  storeRemoved,
} from "./members.store.ts";
import { dropObject, type StoredObject, storeGone, storeRemoteId, storeSent } from "./objects.store.ts";
import { idOf, member, ObjectRefused, PeerError } from "./peer.ts";
import type { Team } from "./people.store.ts";
import { at, createOrAdopt, expectOk, isMissing, patchOf, type SendParts, transact } from "./send.ts";

/** Brings one group at the target, with its members, into the wanted state. */
export async function sendGroup(parts: SendParts, object: StoredObject, team: Team | undefined): Promise<void> {
  const { target, key } = parts;
  const wanted = wantedGroup(target.settings, team);
  if (wanted.act !== "keep") {
    if (object.remote_id === null || wanted.act === "none") return forget(parts, object, true);
    const answer = await parts.peer.request("DELETE", at("/Groups", object.remote_id));
    if (!isMissing(answer)) expectOk(answer);
    return forget(parts, object, false);
  }
  const digest = digestOf(key, wanted);
  const remoteId = await keep(parts, object, team!, wanted.body, digest);
  if (!(await sendMembers(parts, team!.groupId, remoteId))) {
    // Others have deleted the group there since its name was sent. The next attempt creates it.
    await lose(parts, object);
    throw new PeerError("fault", "The group was deleted at the target while its members were sent.");
  }
  await transact(parts, (tx, now) => storeSent(tx, target, object, { remoteId, digest }, now));
}

const forget = (parts: SendParts, object: StoredObject, isAll: boolean): Promise<void> =>
  transact(parts, async (tx, now) => {
    await forgetMembersOf(tx, parts.target, { groupId: object.local_id });
    await (isAll ? dropObject(tx, parts.target, object) : storeGone(tx, parts.target, object, now));
  });

const lose = (parts: SendParts, object: StoredObject): Promise<void> =>
  transact(parts, async (tx) => {
    await storeRemoteId(tx, parts.target, object, null);
    await forgetMembersOf(tx, parts.target, { groupId: object.local_id });
  });

async function keep(parts: SendParts, object: StoredObject, team: Team, body: Resource, digest: string): Promise<string> {
  const { peer } = parts;
  const rename = async (remoteId: string): Promise<boolean> => {
    const operations = [{ op: "replace", value: { displayName: team.name, externalId: team.groupId } }];
    const answer = await peer.request("PATCH", at("/Groups", remoteId), patchOf(operations));
    if (isMissing(answer)) return false;
    expectOk(answer);
    return true;
  };
  if (object.remote_id !== null) {
    if (object.sent_digest === digest) return object.remote_id;
    if (await rename(object.remote_id)) {
      // Everything is sent again, or a first attempt was broken off, so the members there are not known.
      if (object.sent_digest === null) await learnMembers(parts, team.groupId, object.remote_id);
      return object.remote_id;
    }
    await lose(parts, object);
  }
  const criteria = groupCriteria(peer, team.groupId, team.name);
  const { remoteId, isNew } = await createOrAdopt(parts, object, { path: "/Groups", criteria, body });
  if (isNew) return remoteId;
  if (!(await rename(remoteId))) throw new ObjectRefused("The group that matches cannot be changed: it is not found by its id.");
  await learnMembers(parts, team.groupId, remoteId);
  return remoteId;
}

/** Reads which of our users are members there, if the target lists members. Members that are not ours stay as they are. */
async function learnMembers(parts: SendParts, groupId: string, remoteId: string): Promise<void> {
  if (!parts.peer.preset.listsMembers) return;
  const { body } = await parts.peer.request("GET", at("/Groups", remoteId));
  const members = body && member(body, "members");
  if (!Array.isArray(members)) return;
  const known = members.flatMap((one) => (isObject(one) ? (idOf({ id: member(one, "value") }) ?? []) : []));
  await transact(parts, (tx) => storeKnownMembers(tx, parts.target, groupId, known));
}

/** Sends member changes in parts that the target accepts. Records each sent part, so a repetition continues there. Returns false if the group is gone. */
async function sendMembers(parts: SendParts, groupId: string, remoteId: string): Promise<boolean> {
  const { db, target, peer } = parts;
  let size = peer.preset.membersPerPatch;
  const send = async (
    changes: readonly MemberChange[],
    operations: (ids: string[]) => Resource[],
  ): Promise<"sent" | "smaller" | "missing"> => {
    const ids = changes.flatMap(({ remoteId: id }) => id ?? []);
    if (ids.length === 0) return "sent";
    const answer = await peer.request("PATCH", at("/Groups", remoteId), patchOf(operations(ids)));
    if (isMissing(answer)) return "missing";
    if (answer.status === 413 && ids.length > 1) {
      size = Math.ceil(ids.length / 2);
      return "smaller";
    }
    expectOk(answer);
    return "sent";
  };
  const steps = [
    { read: membersToAdd, store: storeAdded, operations: adding },
    { read: membersToRemove, store: storeRemoved, operations: peer.preset.removeMembers === "values" ? removingValues : removingByFilter },
  ];
  for (const { read, store, operations } of steps) {
    for (;;) {
      const changes = await read(db, target, groupId, size);
      if (changes.length === 0) break;
      const outcome = await send(changes, operations);
      if (outcome === "missing") return false;
      if (outcome === "sent")
        await transact(parts, (tx) =>
          store(
            tx,
            target,
            groupId,
            changes.map(({ userId }) => userId),
          ),
        );
    }
  }
  return true;
}

const values = (ids: readonly string[]) => ids.map((value) => ({ value }));
const adding = (ids: readonly string[]): Resource[] => [{ op: "add", path: "members", value: values(ids) }];
const removingValues = (ids: readonly string[]): Resource[] => [{ op: "remove", path: "members", value: values(ids) }];
const removingByFilter = (ids: readonly string[]): Resource[] =>
  ids.map((id) => ({ op: "remove", path: `members[value eq ${JSON.stringify(id)}]` }));
