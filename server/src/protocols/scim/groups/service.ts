import {
  createGroup as createRecord,
  groupOfOrganization,
  joinAll,
  leaveAll,
  removeGroup as removeRecord,
  renameElsewhere,
  saveGroup,
} from "../../../directory/groups/index.ts";
import { shareOrganization } from "../../../directory/organizations/index.ts";
import { isId, NO_ID } from "../../../kernel/ids.ts";
import { isObject } from "../../../kernel/json.ts";
import type { Ctx, ReadCtx } from "../../../platform/context.ts";
import { type Db, lockRealm } from "../../../platform/db/index.ts";
import { expectTag, expectVersion, unconditional } from "../../../platform/versions.ts";
import type { Connection, ScimCall } from "../call.ts";
import { invalidValue, scimError, scimErrors } from "../errors.ts";
import { saveExternalId } from "../external-ids.store.ts";
import type { Filter } from "../filter/parser.ts";
import { checkKey } from "../keys.ts";
import { type ListedPage, listResources } from "../listing/listing.ts";
import type { ListRequest } from "../listing/query.ts";
import type { Operation } from "../patch/operations.ts";
import { readResource } from "../patch/patch.ts";
import { type AttributeTarget, findTarget, invalidPath, parsePath } from "../patch/path.ts";
import type { Resource } from "../schema/attribute.ts";
import { groupType } from "../schema/resource-types.ts";
import { normalise } from "../schema/values.ts";
import { strengthened } from "../version.ts";
import { groupResource, memberResource } from "./mapping.ts";
import { checkName } from "./rules.ts";
import { groupSource } from "./source.store.ts";
import { digestsOfMembers, findGroups, hasOthersBelow, holdGroup, holdVisible, nextMembers, ownGroup, type ScimGroup } from "./store.ts";

const CHUNK = 1000;
/** A larger number of members is left out of the response to a change. */
export const MANY_MEMBERS = 1000;
export interface ReadGroup {
  readonly group: Resource;
  readonly memberCount: number;
  /** Reads the members in chunks, so that a large group needs no more memory than a small one. */
  members(): AsyncGenerator<Resource[]>;
}

/** Reads a group. `withMembers` tells, by their number, whether members are shown, and so are part of the tag. */
export const readGroup = ({ connection, read }: ScimCall, id: string, withMembers: (memberCount: number) => boolean): Promise<ReadGroup> =>
  read(async (ctx) => {
    const found = await findGroup(ctx, connection, id);
    const members = () => memberChunks(ctx.tx, connection, found.groupId);
    const group = groupResource(
      found,
      connection,
      withMembers(found.memberCount) ? await membersDigest(ctx.tx, connection, found.groupId) : null,
    );
    return { group, memberCount: found.memberCount, members };
  });

const membersDigest = async (db: Db, connection: Connection, groupId: string): Promise<string> =>
  (await digestsOfMembers(db, connection, [groupId])).get(groupId) ?? "";

async function* memberChunks(db: Db, connection: Connection, groupId: string): AsyncGenerator<Resource[]> {
  for (let after = NO_ID; ; ) {
    const chunk = await nextMembers(db, connection, groupId, after, CHUNK);
    if (chunk.length > 0) yield chunk.map((member) => memberResource(member, connection));
    if (chunk.length < CHUNK) return;
    after = chunk.at(-1)!.userId;
  }
}

async function findGroup({ tx }: ReadCtx, connection: Connection, id: string): Promise<ScimGroup> {
  const [group] = isId(id) ? await findGroups(tx, connection, [id.toLowerCase()]) : [];
  if (!group) throw scimErrors.not_found();
  return group;
}

export const listGroups = ({ connection, read }: ScimCall, request: ListRequest, withMembers: boolean): Promise<ListedPage> =>
  read(async ({ tx }) => {
    const page = await listResources(tx, groupSource(tx, connection, withMembers), request, `Group ${JSON.stringify(connection)}`);
    return withMembers ? { ...page, resources: await withTheirMembers(tx, connection, page.resources) } : page;
  });

async function withTheirMembers(db: Db, connection: Connection, groups: readonly Resource[]): Promise<Resource[]> {
  const whole: Resource[] = [];
  for (const group of groups) {
    const members: Resource[] = [];
    for await (const chunk of memberChunks(db, connection, String(group.id))) members.push(...chunk);
    whole.push({ ...group, members });
  }
  return whole;
}

export const createGroup = ({ connection, transact }: ScimCall, body: unknown): Promise<string> => {
  const resource = readResource(groupType, body);
  const name = checkName(resource.displayName);
  const externalId = externalIdIn(resource.externalId);
  const members = membersIn(resource);
  return transact(async (given) => {
    const ctx = unconditional(given);
    const { groupId } = await createRecord(ctx, { name, parentId: await homeOf(ctx, connection) });
    if (connection.organizationId !== null) await ownGroup(ctx.tx, ctx.realm, connection.organizationId, groupId);
    await saveExternalId(ctx.tx, "group", connection, groupId, externalId);
    await changeMembers(ctx, connection, groupId, { is: "join", ids: members });
    return groupId;
  });
};

/** Returns the group below which the token names groups: that of its organization, or null for the top. */
async function homeOf(ctx: Ctx, { organizationId }: Connection): Promise<string | null> {
  if (organizationId === null) return null;
  const organization = await shareOrganization(ctx.tx, ctx.realm, organizationId);
  // The organization was deleted at this moment, and its tokens with it.
  if (!organization) throw scimErrors.not_found();
  return groupOfOrganization(ctx, organization.alias);
}

function externalIdIn(value: unknown): string | null {
  if (typeof value !== "string" || value === "") return null;
  checkKey("externalId", value);
  return value;
}

/** The changes of a request to a group. An absent member is unchanged. */
interface GroupChange {
  readonly name?: string;
  readonly externalId?: string | null;
  readonly members: readonly MemberChange[];
}

/** Replaces a group (PUT). Members that are left out leave it, and `externalId` remains. */
export const replaceGroup = (call: ScimCall, id: string, body: unknown): Promise<void> => {
  const resource = readResource(groupType, body);
  const externalId = externalIdIn(resource.externalId);
  return saveChange(call, id, {
    name: checkName(resource.displayName),
    ...(externalId !== null && { externalId }),
    members: [{ is: "set", ids: membersIn(resource) }],
  });
};

export const patchGroup = (call: ScimCall, id: string, operations: readonly Operation[]): Promise<void> =>
  saveChange(call, id, readChange(id, operations));

function readChange(id: string, operations: readonly Operation[]): GroupChange {
  let change: GroupChange = { members: [] };
  const apply = (op: Operation["op"], target: AttributeTarget, value: unknown) => {
    const { attribute, path } = target;
    if (attribute.name === "members") change = { ...change, members: [...change.members, memberChange(op, target, value)] };
    else if (attribute.name === "displayName") {
      if (op === "remove") throw scimError("mutability", "displayName is required and cannot be removed");
      change = { ...change, name: checkName(normalise(attribute, value, path)) };
    } else if (attribute.name === "externalId")
      change = { ...change, externalId: op === "remove" ? null : externalIdIn(normalise(attribute, value, path)) };
    else if (attribute.name !== "id" || value !== id.toLowerCase()) throw scimError("mutability", `${path} is read-only`);
  };
  for (const { op, path, value } of operations) {
    if (path !== undefined) {
      const target = parsePath(groupType, path);
      if (target.is === "attribute") apply(op, target, value);
      continue;
    }
    if (op === "remove") throw scimError("noTarget", "remove needs a path");
    if (!isObject(value)) throw scimError("invalidSyntax", "Without a path, the value is an object of attributes");
    for (const [name, member] of Object.entries(value)) {
      const target = findTarget(groupType, name);
      const isIgnored = target?.is !== "attribute" || (target.attribute.mutability === "readOnly" && target.attribute.name !== "id");
      if (!isIgnored) apply(op, target, member);
    }
  }
  return change;
}

const saveChange = ({ connection, transact }: ScimCall, id: string, { name, externalId, members }: GroupChange): Promise<void> =>
  transact(async (given) => {
    const isReplaced = members.some(({ is }) => is === "set");
    if (isId(id) && (isReplaced || given.ifMatch !== null)) await holdGroup(given.tx, connection, id);
    const group = await findGroup(given, connection, id);
    if (isReplaced) await expectMembers(given, connection, group);
    else expectVersion(given, group.version);
    const ctx = unconditional(given);
    const { groupId, description } = group;
    if (name !== undefined && name !== group.name)
      await saveGroup(ctx, groupId, { name, description, parentId: group.parentId ?? (await homeOf(ctx, connection)) });
    // Provisioning clients find groups by it, and another client of the connection fills the group that has it.
    if (externalId !== undefined && externalId !== group.externalId) {
      await renameElsewhere(ctx, groupId, "externalId");
      await saveExternalId(ctx.tx, "group", connection, groupId, externalId);
    }
    for (const change of members) await changeMembers(ctx, connection, groupId, change);
  });

/** Checks that the replaced members are those that the client saw, if it saw any. */
async function expectMembers(ctx: Ctx, connection: Connection, group: ScimGroup): Promise<void> {
  if (ctx.ifMatch === null) return;
  const digests = [null, await membersDigest(ctx.tx, connection, group.groupId)];
  expectTag(
    ctx,
    digests.map((members) => strengthened(groupResource(group, connection, members).meta.version)),
  );
}

async function changeMembers(ctx: Ctx, connection: Connection, groupId: string, { is, ids }: MemberChange): Promise<void> {
  if (is === "leave") return leaveAll(ctx, groupId, ids.filter(isId));
  await refuseUnknown(ctx, connection, ids);
  if (is === "join") {
    if (ids.length > 0) await joinAll(ctx, groupId, ids);
    return;
  }
  const present = new Set<string>();
  // All members are compared, because a user whom the token does not see has left the organization, or was never in it.
  for await (const chunk of memberChunks(ctx.tx, { ...connection, organizationId: null }, groupId))
    for (const { value } of chunk) present.add(String(value));
  const wanted = new Set(ids);
  const leaving = [...present].filter((userId) => !wanted.has(userId));
  const joining = ids.filter((userId) => !present.has(userId));
  if (leaving.length > 0) await leaveAll(ctx, groupId, leaving);
  if (joining.length > 0) await joinAll(ctx, groupId, joining);
}

/** Deletes a group with those below it, as the admin API does. A token of an organization never deletes groups of others. */
export const removeGroup = ({ connection, transact }: ScimCall, id: string): Promise<void> =>
  transact(async (ctx) => {
    // The lock comes first, so that no group is added below it until it is deleted.
    if (connection.organizationId !== null) await lockRealm(ctx.tx, ctx.realm);
    const { groupId } = await findGroup(ctx, connection, id);
    if (await hasOthersBelow(ctx.tx, connection, groupId)) throw scimErrors.others_below();
    await removeRecord(ctx, groupId);
  });

/** A change of a group's members. Only `set` depends on the current ones. */
export type MemberChange = { readonly is: "join" | "leave" | "set"; readonly ids: readonly string[] };

const EVERYBODY: MemberChange = { is: "set", ids: [] };

/** RFC 7644 §3.5.2: reads a change of `members` as rows to add and remove, never as a list that is written back. */
function memberChange(op: Operation["op"], target: AttributeTarget, value: unknown): MemberChange {
  const { filter, sub, attribute, path } = target;
  if (sub) throw invalidPath(`${path}: only whole members can be added or removed`);
  if (filter) {
    if (op !== "remove") throw scimError("noTarget", `${path}: members are added by their value`);
    return { is: "leave", ids: namedIn(filter) };
  }
  const given = value === undefined || value === null ? [] : ((normalise(attribute, value, "members") ?? []) as Member[]);
  if (op === "add") return { is: "join", ids: idsOf(given) };
  if (op === "replace") return { is: "set", ids: idsOf(given) };
  return given.length === 0 ? EVERYBODY : { is: "leave", ids: idsOf(given) };
}

interface Member {
  readonly value?: unknown;
  readonly type?: unknown;
}

/** Returns the ids of members, which must be users: SCIM does not show the groups below a group. */
export function idsOf(members: readonly Member[]): string[] {
  const ids = members.map(({ value, type }) => {
    if (typeof type === "string" && type.toLowerCase() === "group") throw invalidValue("members", "a group cannot be a member");
    if (typeof value !== "string" || value === "") throw invalidValue("members", "each member has a value, the id of a user");
    return value.toLowerCase();
  });
  return [...new Set(ids)];
}

/** Returns the ids in `members[value eq "…"]`, or in several joined by `or`. */
function namedIn(filter: Filter): string[] {
  if (filter.is === "or") return filter.parts.flatMap(namedIn);
  if (filter.is === "compare" && filter.by === "eq" && filter.path.attribute.name === "value") return [String(filter.value).toLowerCase()];
  throw invalidPath("members can be filtered only by `value eq`");
}

/** Refuses new members that are not users whom the token can see. The error names them. */
async function refuseUnknown(ctx: Ctx, connection: Connection, ids: readonly string[]): Promise<void> {
  const known = await holdVisible(ctx.tx, connection, ids.filter(isId));
  const unknown = ids.filter((id) => !known.has(id));
  if (unknown.length === 0) return;
  const shown = unknown.slice(0, 5).join(", ");
  throw invalidValue("members", `there is no user ${shown}${unknown.length > 5 ? ` and ${unknown.length - 5} more` : ""}`);
}

const membersIn = (resource: Record<string, unknown>): string[] =>
  idsOf((Array.isArray(resource.members) ? resource.members : []).filter(isObject));
