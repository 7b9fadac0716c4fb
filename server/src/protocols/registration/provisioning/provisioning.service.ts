import { invalidFields } from "../../../kernel/errors.ts";
import { createRealmCache, type RealmCache, type RealmChanges } from "../../../platform/cache/index.ts";
import type { Ctx, ReadCtx } from "../../../platform/context.ts";
import { type Db, lockRealm } from "../../../platform/db/index.ts";
import { expectVersion } from "../../../platform/versions.ts";
import { completeProvisioning, type Provisioning, type UpdateProvisioning } from "./provisioning.schema.ts";
import { findProvisioning, saveProvisioning } from "./provisioning.store.ts";

export type VersionedProvisioning = Provisioning & { readonly version: number };

export async function readProvisioning(ctx: ReadCtx): Promise<VersionedProvisioning> {
  const { provisioning, version } = await findProvisioning(ctx.tx, ctx.realm);
  return { ...provisioning, version };
}

export async function replaceProvisioning(ctx: Ctx, input: UpdateProvisioning): Promise<VersionedProvisioning> {
  const provisioning = completeProvisioning(input);
  refuseRegistrationWithoutConsent(provisioning);
  // There may be no row to lock.
  await lockRealm(ctx.tx, ctx.realm);
  const before = await findProvisioning(ctx.tx, ctx.realm);
  expectVersion(ctx, before.version);
  const version = await saveProvisioning(ctx.tx, ctx.realm, provisioning);
  await ctx.configChanged();
  const detail = changes(before.provisioning, provisioning);
  ctx.audit({ category: "ADMIN", type: "ADMIN_UPDATE", resourceType: "provisioning", resourceId: ctx.realm, detail });
  return { ...provisioning, version };
}

/** Otherwise an attacker could register a client, send a user a link, and get their data without consent. */
function refuseRegistrationWithoutConsent({ registration: { requireConsent, requireInitialAccessToken } }: Provisioning): void {
  if (!requireConsent && !requireInitialAccessToken)
    throw invalidFields([
      {
        field: "registration.requireConsent",
        code: "unsafe",
        message: "registration.requireConsent can be turned off only where registration.requireInitialAccessToken is on",
      },
    ]);
}

/** The changed members, for the audit event. */
function changes(before: Provisioning, after: Provisioning): string | null {
  const entries = (state: Provisioning) =>
    Object.entries(state).flatMap(([area, members]) =>
      Object.entries(members).map(([member, value]) => [`${area}.${member}`, JSON.stringify(value)] as const),
    );
  const known = new Map(entries(before));
  const changed = entries(after).filter(([member, value]) => known.get(member) !== value);
  return changed.length === 0 ? null : changed.map(([member]) => member).join(", ");
}

export interface ProvisioningSnapshot extends Provisioning {
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

/** Only for realms that exist; for others it returns the defaults. */
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
