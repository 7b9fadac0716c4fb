import type { Ctx, ReadCtx } from "../../platform/context.ts";
import { consentErrors } from "./errors.ts";
import type { Consent } from "./schema.ts";
import { type ConsentKey, deleteConsent, listConsents, upsertConsent } from "./store.ts";

declare module "../../platform/context.ts" {
  interface DomainEvents {
    /** A consent was revoked. The tokens that the client got under it end. */
    "consent.revoked": { readonly userId: string; readonly clientId: string };
  }
}

export const readConsents = (ctx: ReadCtx, userId: string): Promise<Consent[]> => listConsents(ctx.tx, ctx.realm, userId);

/** Records that the user allows a client more than before. */
export async function grantConsent(ctx: Ctx, key: ConsentKey, scopes: readonly string[]): Promise<void> {
  const allowed = await upsertConsent(ctx.tx, ctx.realm, key, scopes, ctx.now);
  const at = key.resource === null ? "" : ` at ${key.resource}`;
  ctx.audit({
    category: "SECURITY",
    type: "CONSENT_GRANTED",
    resourceType: "consents",
    resourceId: key.clientId,
    detail: `${allowed.join(" ")}${at}`,
  });
}

/** Ends a user's consent to a client. If an administrator does this, the event names the user, too. */
export async function revokeConsent(ctx: Ctx, userId: string, clientId: string): Promise<void> {
  if (!(await deleteConsent(ctx.tx, ctx.realm, userId, clientId))) throw consentErrors.not_found();
  await ctx.emit("consent.revoked", { userId, clientId });
  const detail = ctx.actor.id === userId ? null : `user ${userId}`;
  ctx.audit({ category: "SECURITY", type: "CONSENT_REVOKED", resourceType: "consents", resourceId: clientId, detail });
}
