import { changeOwnEmail } from "../../directory/users/index.ts";
import { DAY } from "../../kernel/clock.ts";
import { type AppError, defineErrors } from "../../kernel/errors.ts";
import type { Ctx, ReadCtx } from "../../platform/context.ts";
import type { MessageUser } from "../../tenancy/messaging/index.ts";
import { failureOf, findTokenOf, type MailParts, mailLink, takeToken } from "../action-tokens/index.ts";
import { fixedMembersOf } from "../own-profile/index.ts";

const KIND = "change-email";
const MINUTES = 24 * 60;
export const CHANGE_EMAIL_PATH = "change-email";

const errors = defineErrors("account", {
  mail_unavailable: [409, "This realm cannot send mail at the moment, so no new address can be confirmed: ask an administrator"],
  mail_limited: [429, "Too many mails were sent: try again in some minutes"],
});

const refused = (failure: "limited" | "unavailable"): AppError =>
  failure === "limited" ? errors.mail_limited() : errors.mail_unavailable();

/** The user, and the locale of the page if there was one. Otherwise the user's own locale counts. */
interface Asker {
  readonly user: MessageUser;
  readonly locale?: string;
}

/**
 * Asks a user to confirm a new address. It counts once the link that is sent to it is confirmed. Until then mail goes to the present
 * address, which is notified now, while its owner can still act. Only the page behind the mail to the new address says whether another
 * account has it.
 */
export async function askToChangeEmail(ctx: Ctx, parts: MailParts, { user, locale }: Asker, to: string): Promise<void> {
  const { failure } = await mailLink(ctx, parts, {
    ...{ kind: KIND, templateKey: "change-email", path: CHANGE_EMAIL_PATH, minutes: MINUTES, to, user, isOnlyOne: true },
    locale: locale ?? null,
    data: { from: user.email, to },
    keeps: true,
    countsUser: true,
  });
  if (failure !== null) throw refused(failure);
  await notifyCurrentAddress(ctx, parts, { user, ...(locale !== undefined && { locale }) });
}

/** Notifies the current address, also when it is removed without a new one. A realm that sends no mail notifies no one. */
export async function notifyCurrentAddress(ctx: Ctx, { messages }: Pick<MailParts, "messages">, { user, locale }: Asker): Promise<void> {
  if (user.email === null) return;
  const failure = await messages
    .send(ctx, { templateKey: "email-change-notice", to: user.email, user, locale: locale ?? null, values: {}, expiresAt: ctx.now + DAY })
    .then(() => null, failureOf);
  if (failure === "limited") throw refused(failure);
}

/** Returns the address that waits to be confirmed. */
export async function pendingEmailOf(ctx: Pick<ReadCtx, "tx" | "realm" | "now">, userId: string): Promise<string | null> {
  const token = await findTokenOf(ctx, KIND, userId);
  return token === null ? null : String(token.data.to);
}

/** Changes the address. Returns false if the link is used or replaced, if the address has changed, or if users may no longer change it. */
export async function followChangeEmail(ctx: Ctx, token: string): Promise<boolean> {
  const taken = await takeToken(ctx, KIND, token);
  if (!taken || taken.userId === null) return false;
  if ((await fixedMembersOf(ctx.tx, ctx.realm, taken.userId)).has("email")) return false;
  const { from, to } = taken.data as { readonly from: string | null; readonly to: string };
  return changeOwnEmail(ctx, taken.userId, { from, to });
}
