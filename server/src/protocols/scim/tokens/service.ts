import type { FastifyRequest } from "fastify";
import { isDirectorySource } from "../../../directory/credentials/index.ts";
import { shareOrganization } from "../../../directory/organizations/index.ts";
import { assertMayAnswerFor, findProvider, sourceOf } from "../../../federation/index.ts";
import { clock } from "../../../kernel/clock.ts";
import { type FieldError, invalidFields } from "../../../kernel/errors.ts";
import { isId } from "../../../kernel/ids.ts";
import { randomToken, sha256 } from "../../../kernel/vault.ts";
import { actorOf, type Ctx, type ReadCtx } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import type { ListQuery, Page } from "../../../platform/paging/index.ts";
import { mapPage } from "../../../platform/paging/index.ts";
import { assertHolds, type Permission } from "../../../tenancy/permissions/index.ts";
import type { PermissionTokens } from "../../gate/index.ts";
import { scimErrors } from "../errors.ts";
import type { CreatedScimToken, CreateScimToken, ScimToken } from "./schema.ts";
import { deleteToken, findToken, findUsableToken, insertToken, listTokens, type TokenRow, touchToken } from "./store.ts";

const about = { resourceType: "provisioning" } as const;

/** The prefix by which tokens are recognised if they leak into logs and repositories. */
const PREFIX = "ghscim_";
const DEFAULT_PERMISSIONS: readonly Permission[] = ["view-users", "manage-users", "manage-organizations"];

export const scimUrl = (baseUrl: string, realm: string): string => `${baseUrl}/realms/${realm}/scim/v2`;

const shown = (ctx: ReadCtx, baseUrl: string, row: TokenRow): ScimToken => ({ ...row, url: scimUrl(baseUrl, ctx.realm) });

export async function searchTokens(ctx: ReadCtx, baseUrl: string, query: ListQuery): Promise<Page<ScimToken>> {
  return mapPage(await listTokens(ctx.tx, ctx.realm, query), (row) => shown(ctx, baseUrl, row));
}

export async function readToken(ctx: ReadCtx, baseUrl: string, id: string): Promise<ScimToken> {
  const row = isId(id) ? await findToken(ctx.tx, ctx.realm, id) : null;
  if (!row) throw scimErrors.token_not_found();
  return shown(ctx, baseUrl, row);
}

/**
 * Creates a token, which is only in this response: its hash is stored. By the escalation rule, the creator must hold its permissions, and
 * those of the users of its identity provider, because the token decides which accounts these are.
 */
export async function createToken(ctx: Ctx, baseUrl: string, input: CreateScimToken): Promise<CreatedScimToken> {
  const { name, connection = name, trustEmails = false, expiresAt = null, organizationId = null } = input;
  const permissions = [...(input.permissions ?? DEFAULT_PERMISSIONS)];
  assertHolds(ctx.actor, permissions);
  const faults: FieldError[] = [];
  if (expiresAt !== null && expiresAt <= ctx.now) faults.push({ field: "expiresAt", code: "past", message: "expiresAt lies in the past" });
  if (organizationId !== null && !(isId(organizationId) && (await shareOrganization(ctx.tx, ctx.realm, organizationId))))
    faults.push({ field: "organizationId", code: "unknown_organization", message: "There is no organization with this id in the realm" });
  const providerId = await providerOf(ctx, input.identityProvider ?? null, faults);
  if (faults.length > 0) throw invalidFields(faults);
  const token = PREFIX + randomToken();
  const stored = { hash: sha256(token), name, connection, permissions, organizationId, providerId, trustEmails, expiresAt };
  const id = await insertToken(ctx.tx, ctx.realm, stored, ctx.now);
  ctx.audit({ category: "ADMIN", type: "ADMIN_CREATE", ...about, resourceId: id, detail: `SCIM token ${name}` });
  const detail = `${name}: ${permissions.join(" ")}`;
  ctx.audit({ category: "SECURITY", type: "SCIM_TOKEN_CREATED", ...about, resourceId: id, detail });
  return { ...(await readToken(ctx, baseUrl, id)), token };
}

async function providerOf(ctx: Ctx, alias: string | null, faults: FieldError[]): Promise<string | null> {
  if (alias === null) return null;
  assertHolds(ctx.actor, ["manage-identity-providers"]);
  const provider = await findProvider(ctx.tx, ctx.realm, alias);
  if (!provider) {
    const message = `There is no identity provider “${alias}” in this realm`;
    faults.push({ field: "identityProvider", code: "unknown_provider", message });
    return null;
  }
  // The accounts of a directory come from its own synchronization.
  if (isDirectorySource(sourceOf(provider.protocol, alias)))
    faults.push({ field: "identityProvider", code: "directory", message: `“${alias}” is a directory: name an identity provider` });
  await assertMayAnswerFor(ctx, provider);
  return provider.providerId;
}

/** Deletes a token. The next request with it is a 401, on every node. */
export async function removeToken(ctx: Ctx, id: string): Promise<void> {
  const deleted = isId(id) ? await deleteToken(ctx.tx, ctx.realm, id) : null;
  if (!deleted) throw scimErrors.token_not_found();
  const resourceId = id.toLowerCase();
  ctx.audit({ category: "ADMIN", type: "ADMIN_DELETE", ...about, resourceId, detail: `SCIM token ${deleted.name}` });
  ctx.audit({ category: "SECURITY", type: "SCIM_TOKEN_REVOKED", ...about, resourceId, detail: deleted.name });
}

declare module "fastify" {
  interface FastifyRequest {
    /** The token of a SCIM request. */
    scimToken: TokenRow;
  }
}

/** Makes SCIM tokens callers. The audit trail names them `scim:<name>`. */
export const scimTokens = (db: Db): PermissionTokens => ({
  invalid: "A SCIM token of this realm is needed: send it as Authorization: Bearer",
  async actorOf(request, { realmId: realm }, presented) {
    const now = clock.now();
    const token = await findUsableToken(db, realm, sha256(presented), now);
    if (!token) return null;
    await touchToken(db, realm, token, now);
    request.scimToken = token;
    return actorOf({ id: token.id, name: `scim:${token.name}`, realm, kind: "scim-token", permissions: new Set(token.permissions) });
  },
  resourceOf,
});

/** Returns the resource of a request: `/realms/acme/scim/v2/Users/1` is about the user. */
function resourceOf(request: FastifyRequest): { resourceType: string; resourceId: string | undefined } {
  const [, , , , , resourceType = "", id] = (request.url.split("?", 1)[0] ?? "").split("/");
  return { resourceType: resourceType.toLowerCase(), resourceId: id };
}
