import { HOUR } from "../../kernel/clock.ts";
import { defineErrors } from "../../kernel/errors.ts";
import type { Ctx, ReadCtx } from "../../platform/context.ts";
import { imagesOf, type WithImages, withImages } from "../images/index.ts";
import { checkBranding, checkTexts, readSettings, type Settings } from "../settings/index.ts";
import type { BrandingDraft } from "./schema.ts";
import { findDraft, upsertDraft } from "./store.ts";

const LIFETIME = 12 * HOUR;

const errors = defineErrors("branding", {
  no_session: [409, "A draft belongs to the session that made it: sign in with a browser to make one"],
});

/** Stores the draft for this session alone. Nothing else changes, so the audit trail records nothing. */
export async function saveDraft(ctx: Ctx, draft: BrandingDraft): Promise<BrandingDraft> {
  checkBranding({ logoUrl: draft.logoUrl ?? null, customCss: draft.customCss ?? null });
  checkTexts({ texts: draft.texts ?? {} });
  const { sessionId } = ctx.actor;
  if (sessionId === null) throw errors.no_session();
  await upsertDraft(ctx.tx, ctx.realm, sessionId, draft, ctx.now + LIFETIME);
  return draft;
}

/** Returns the draft of the caller's session. It is empty if there is none, so that the page looks as it does for visitors. */
export const readDraft = async ({ tx, realm, actor, now }: ReadCtx): Promise<BrandingDraft> =>
  (actor.sessionId === null ? null : await findDraft(tx, realm, actor.sessionId, now)) ?? {};

/** Returns the realm's settings with the draft applied. */
export async function draftedSettings(ctx: ReadCtx): Promise<Settings & WithImages> {
  const draft = await readDraft(ctx);
  const { settings } = await readSettings(ctx.tx, ctx.realm);
  return withImages({ ...settings, ...draft } as Settings, await imagesOf(ctx.tx, ctx.realm));
}
