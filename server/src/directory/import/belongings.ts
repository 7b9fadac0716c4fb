import { fromBase32 } from "../../kernel/base32.ts";
import { invalidFields } from "../../kernel/errors.ts";
import { newId } from "../../kernel/ids.ts";
import type { Ctx } from "../../platform/context.ts";
import { assertHolds } from "../../tenancy/permissions/index.ts";
import { TOTP, totpPlace } from "../credentials/index.ts";
import { findGroupId, insertMembers, rolesGrantedBy } from "../groups/index.ts";
import { insertOrganizationMembers, organizationsByAlias } from "../organizations/index.ts";
import { assertMayGrant, shareNamedRole } from "../roles/index.ts";
import { insertCredentials, type NewCredential } from "./batch.store.ts";
import type { BatchTools } from "./batch-tools.ts";
import type { Fault } from "./readers/index.ts";
import { faultIn, faultOfError, type ReadyRow } from "./row.ts";
import type { ImportUser } from "./schema.ts";

/** The groups, organizations and client roles of a new user. Names are resolved once per batch, under the escalation rule. */
export interface Belongings {
  readonly groupIds: readonly string[];
  readonly organizations: readonly { readonly organizationId: string; readonly role: string; readonly managed: boolean }[];
  readonly clientRoleIds: readonly string[];
  /** Ids of the providers of `federatedIdentities`. */
  readonly providerIds: readonly string[];
}

const nothing: Belongings = { groupIds: [], organizations: [], clientRoleIds: [], providerIds: [] };

/** Returns a function that looks up the names of a row, each name once in a batch. */
export function createResolver(ctx: Ctx, { links }: BatchTools) {
  const known = new Map<string, Promise<string | Fault>>();
  const once = (member: keyof ImportUser, name: string, find: () => Promise<string>): Promise<string | Fault> => {
    const key = `${member} ${name}`;
    const found = known.get(key) ?? find().catch((error) => faultIn(member, faultOfError(error)));
    known.set(key, found);
    return found;
  };
  const unknown = (field: keyof ImportUser, what: string) =>
    invalidFields([{ field, code: "unknown", message: `There is no ${what} in this realm` }]);
  const group = (path: string) =>
    once("groups", path, async () => {
      assertHolds(ctx.actor, ["manage-organizations"]);
      const id = await findGroupId(ctx.tx, ctx.realm, path);
      if (id === null) throw unknown("groups", `group “${path}”`);
      await assertMayGrant(ctx, await rolesGrantedBy(ctx.tx, ctx.realm, [id]));
      return id;
    });
  const organization = (alias: string) =>
    once("organizations", alias, async () => {
      assertHolds(ctx.actor, ["manage-organizations"]);
      const id = (await organizationsByAlias(ctx.tx, ctx.realm, [alias])).get(alias);
      if (id === undefined) throw unknown("organizations", `organization “${alias}”`);
      return id;
    });
  const clientRole = (clientId: string, name: string) =>
    once("clientRoles", JSON.stringify([clientId, name]), async () => {
      const { roleId } = await shareNamedRole(ctx, { clientId, name });
      await assertMayGrant(ctx, [roleId]);
      return roleId;
    });
  // Two rows of one batch must not have the same account, either.
  const given = new Set<string>();
  const providerOf = async (link: { readonly provider: string; readonly subject: string }): Promise<string | Fault> => {
    const key = `${link.provider} ${link.subject}`;
    const again = { code: "request.invalid", message: "Another row has this account at the identity provider" };
    if (given.has(key)) return faultIn("federatedIdentities", again);
    given.add(key);
    return links.check(ctx, link).catch((error) => faultIn("federatedIdentities", faultOfError(error)));
  };
  return async ({ user }: ReadyRow): Promise<Belongings | Fault> => {
    const { groups = [], organizations = [], clientRoles = [], federatedIdentities = [] } = user;
    if (groups.length + organizations.length + clientRoles.length + federatedIdentities.length === 0) return nothing;
    if (organizations.filter(({ managed }) => managed).length > 1)
      return { code: "request.invalid", message: "organizations: at most one organization manages an account" };
    const found = { groups: [], organizations: [], clientRoles: [], providers: [] } as Record<
      "groups" | "organizations" | "clientRoles" | "providers",
      (string | Fault)[]
    >;
    for (const path of groups) found.groups.push(await group(path));
    for (const { alias } of organizations) found.organizations.push(await organization(alias));
    for (const { clientId, name } of clientRoles) found.clientRoles.push(await clientRole(clientId, name));
    for (const link of federatedIdentities) found.providers.push(await providerOf(link));
    const fault = Object.values(found)
      .flat()
      .find((one) => typeof one !== "string");
    if (fault) return fault as Fault;
    return {
      groupIds: found.groups as string[],
      organizations: organizations.map(({ role = "member", managed = false }, at) => ({
        organizationId: found.organizations[at] as string,
        role,
        managed,
      })),
      clientRoleIds: found.clientRoles as string[],
      providerIds: found.providers as string[],
    };
  };
}

export const isFault = (found: Belongings | Fault): found is Fault => "code" in found;

/** Inserts the belongings of users who have just been inserted. */
export async function insertBelongings(
  ctx: Ctx,
  { vault, links }: BatchTools,
  users: readonly { readonly userId: string; readonly row: ReadyRow; readonly belongings: Belongings }[],
): Promise<void> {
  const groups = users.flatMap(({ userId, belongings }) => belongings.groupIds.map((groupId) => ({ groupId, userId })));
  await insertMembers(ctx.tx, ctx.realm, groups, ctx.now);
  const members = users.flatMap(({ userId, belongings }) => belongings.organizations.map((each) => ({ ...each, userId })));
  await insertOrganizationMembers(ctx.tx, ctx.realm, members, ctx.now);
  const credentials = users.flatMap(({ userId, row }) => credentialsOf(ctx, vault, userId, row.user));
  await insertCredentials(ctx.tx, ctx.realm, credentials);
  for (const { userId, row, belongings } of users)
    for (const [at, { subject, username = null }] of (row.user.federatedIdentities ?? []).entries())
      await links.insert(ctx, { providerId: belongings.providerIds[at]!, subject, userId, username });
}

function credentialsOf(ctx: Ctx, vault: BatchTools["vault"], userId: string, { credentials = [], totp }: ImportUser): NewCredential[] {
  const { secret: key = "", ...form } = totp ?? {};
  const app = totp ? [{ type: "totp" as const, secret: fromBase32(key)!.toString("base64url"), data: form, createdAt: undefined }] : [];
  return [...credentials, ...app].map(({ type, secret, data = {}, createdAt }) => {
    const id = newId();
    const kept = type === TOTP ? vault.seal(secret, totpPlace(ctx.realm, id)) : secret;
    return { userId, id, type, secret: kept, data: { ...usual[type], ...data }, createdAt: createdAt ?? ctx.now };
  });
}

/** The defaults of members that a sign-in reads. */
const usual = {
  totp: { label: null, algorithm: "SHA1", digits: 6, period: 30, lastStep: -1 },
  passkey: { label: null, counter: 0, transports: [], aaguid: "", backedUp: false, deviceType: "singleDevice" },
  "recovery-code": {},
} as const;
