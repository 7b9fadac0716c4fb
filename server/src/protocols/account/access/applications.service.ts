import { findConsent, revokeConsent } from "../../../directory/consents/index.ts";
import type { Ctx, ReadCtx } from "../../../platform/context.ts";
import type { Page } from "../../../platform/paging/index.ts";
import type { RealmSnapshot } from "../../../tenancy/realms/index.ts";
import { endGrants } from "../../tokens/index.ts";
import { accountErrors } from "../errors.ts";
import type { AccountApplication, AccountApplicationQuery } from "./access.schema.ts";
import { hasGrant, listApplications, type SamlStart } from "./applications.store.ts";

/** Returns the addresses at which SAML applications of the realm are started. */
export const samlStartOf = (baseUrl: string, { realmId, settings }: Pick<RealmSnapshot, "realmId" | "settings">): SamlStart => ({
  isDefault: settings.saml.idpInitiatedSsoEnabled,
  urlOf: (entityId) => `${baseUrl}/realms/${realmId}/saml/idp/start/${encodeURIComponent(entityId)}`,
});

export const readApplications = (
  { tx, realm, actor, now }: ReadCtx,
  saml: SamlStart,
  query: AccountApplicationQuery,
): Promise<Page<AccountApplication>> => listApplications(tx, realm, actor.id, now, saml, query);

/** Removes everything that the application has from the user: consents, grants and tokens. */
export async function removeApplication(ctx: Ctx, clientId: string): Promise<void> {
  const userId = ctx.actor.id;
  if (await findConsent(ctx.tx, ctx.realm, userId, clientId)) return revokeConsent(ctx, userId, clientId);
  if (!(await hasGrant(ctx.tx, ctx.realm, userId, clientId, ctx.now))) throw accountErrors.application_not_found();
  await endGrants(ctx, { userId, clientId });
  ctx.audit({
    category: "SECURITY",
    type: "CONSENT_REVOKED",
    resourceType: "consents",
    resourceId: clientId,
    detail: "access without a consent",
  });
}
