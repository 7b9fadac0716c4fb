import { DAY, SECOND } from "../../../kernel/clock.ts";
import { invalidFields } from "../../../kernel/errors.ts";
import { isId } from "../../../kernel/ids.ts";
import { randomToken, sha256 } from "../../../kernel/vault.ts";
import { createRealmCache, type RealmCache, type RealmChanges } from "../../../platform/cache/index.ts";
import { type Ctx, type ReadCtx, recordConfigChange } from "../../../platform/context.ts";
import { type Db, lockRealm } from "../../../platform/db/index.ts";
import type { ListQuery, Page } from "../../../platform/paging/index.ts";
import { expectVersion } from "../../../platform/versions.ts";
import { registrationErrors } from "../errors.ts";
import { deleteToken, findToken, insertToken, listTokens } from "./initial-tokens.store.ts";
import * as schemas from "./provisioning.schema.ts";
import { findProvisioning, saveProvisioning } from "./provisioning.store.ts";

type VersionedProvisioning = schemas.Provisioning & { readonly version: number };

export async function readProvisioning(ctx: ReadCtx): Promise<VersionedProvisioning> {
  const { provisioning, version } = await findProvisioning(ctx.tx, ctx.realm);
  return { ...provisioning, version };
}

export async function replaceProvisioning(ctx: Ctx, input: schemas.UpdateProvisioning): Promise<VersionedProvisioning> {
  const provisioning = schemas.completeProvisioning(input);
  refuseRegistrationWithoutConsent(provisioning);
  // The realm is locked, because there may be no row to lock.
  await lockRealm(ctx.tx, ctx.realm);
  const before = await findProvisioning(ctx.tx, ctx.realm);
  expectVersion(ctx, before.version);
  const version = await saveProvisioning(ctx.tx, ctx.realm, provisioning);
  await recordConfigChange(ctx, "ADMIN_UPDATE", "provisioning", ctx.realm, changes(before.provisioning, provisioning));
  return { ...provisioning, version };
}

/** Refuses open registration without consent: an attacker could register a client, send a user a link, and get their data. */
function refuseRegistrationWithoutConsent({ registration: { requireConsent, requireInitialAccessToken } }: schemas.Provisioning): void {
  if (!requireConsent && !requireInitialAccessToken)
    throw invalidFields([
      {
        field: "registration.requireConsent",
        code: "unsafe",
        message: "registration.requireConsent can be off only if registration.requireInitialAccessToken is on",
      },
    ]);
}

/** Returns the changed members, for the audit event. */
function changes(before: schemas.Provisioning, after: schemas.Provisioning): string | null {
  const entries = (state: schemas.Provisioning) =>
    Object.entries(state).flatMap(([area, members]) =>
      Object.entries(members).map(([member, value]) => [`${area}.${member}`, JSON.stringify(value)] as const),
    );
  const known = new Map(entries(before));
  const changed = entries(after).filter(([member, value]) => known.get(member) !== value);
  return changed.length === 0 ? null : changed.map(([member]) => member).join(", ");
}

export interface ProvisioningSnapshot extends schemas.Provisioning {
  readonly configVersion: number;
  /** The members of the discovery document. */
  readonly offered: Readonly<Record<string, unknown>>;
}

export type ProvisioningSnapshots = RealmCache<ProvisioningSnapshot>;

interface Parts {
  readonly db: Db;
  readonly changes: RealmChanges;
  readonly baseUrl: string;
}

/** Creates the snapshots. A realm that does not exist has the defaults. */
export const createProvisioning = ({ db, changes, baseUrl }: Parts): ProvisioningSnapshots =>
  createRealmCache(changes, async (realm) => {
    const { provisioning, configVersion } = await findProvisioning(db, realm);
    const { enabled, metadataDocuments } = provisioning.registration;
    const offered = {
      ...(enabled && { registration_endpoint: registrationUri(baseUrl, realm) }),
      ...(metadataDocuments && { client_id_metadata_document_supported: true }),
    };
    return { ...provisioning, configVersion, offered };
  });

export const registrationUri = (baseUrl: string, realm: string): string => `${baseUrl}/realms/${realm}/connect/register`;

const about = { resourceType: "provisioning" } as const;
const named = ({ id, name }: schemas.InitialAccessToken) => `initial access token ${name ?? id}`;

export const searchTokens = (ctx: ReadCtx, query: ListQuery): Promise<Page<schemas.InitialAccessToken>> =>
  listTokens(ctx.tx, ctx.realm, query);

export async function readToken(ctx: ReadCtx, id: string): Promise<schemas.InitialAccessToken> {
  const token = isId(id) ? await findToken(ctx.tx, ctx.realm, id) : null;
  if (!token) throw registrationErrors.token_not_found();
  return token;
}

/** Creates a token, which is only in this response: its hash is stored. */
export async function createToken(ctx: Ctx, input: schemas.CreateInitialAccessToken): Promise<schemas.CreatedInitialAccessToken> {
  const { count = 1, lifetime = DAY / SECOND, name = null } = input ?? {};
  const token = randomToken();
  const expiresAt = ctx.now + lifetime * SECOND;
  const made = await insertToken(ctx.tx, ctx.realm, { hash: sha256(token), name, count, now: ctx.now, expiresAt });
  ctx.audit({ category: "ADMIN", type: "ADMIN_CREATE", ...about, resourceId: made.id, detail: named(made) });
  return { ...made, token };
}

/** Deletes a token. Clients that were registered with it remain. */
export async function removeToken(ctx: Ctx, id: string): Promise<void> {
  const deleted = isId(id) ? await deleteToken(ctx.tx, ctx.realm, id) : null;
  if (!deleted) throw registrationErrors.token_not_found();
  ctx.audit({ category: "ADMIN", type: "ADMIN_DELETE", ...about, resourceId: deleted.id, detail: named(deleted) });
}
