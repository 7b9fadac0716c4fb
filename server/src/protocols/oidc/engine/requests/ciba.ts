import { type Client, type Configuration, errors, type KoaContextWithOIDC } from "oidc-provider";
import { findUserByLogin } from "../../../../directory/users/index.ts";
import { clock } from "../../../../kernel/clock.ts";
import { isId } from "../../../../kernel/ids.ts";
import { sha256 } from "../../../../kernel/vault.ts";
import { isActiveUser, keepCallback, keepRequest, userOfSession } from "../../../decoupled/index.ts";
import { assertAccess, type NewRecord } from "../../../tokens/index.ts";
import type { RealmParts } from "../../parts.ts";
import { translated } from "../errors.ts";
import { accountOf } from "../models/account.ts";
import { snapshotOf } from "../models/client.ts";

/** CIBA §7.1: the message is short and plain text, which users compare on two devices. */
const BINDING_MESSAGE = /^[\p{L}\p{N}\p{P}\p{Sc} ]{1,64}$/u;
/** Limits the pending requests of a user against prompt bombing: users who are asked repeatedly give in. */
const MAX_PENDING = 10;

/** Holds each `client_notification_token` until the request has an id to store it with. */
const notificationTokens = new WeakMap<KoaContextWithOIDC, string>();

type Hinted = { readonly payload: { readonly sub: string; readonly sid?: string } };

/** Configures Client-Initiated Backchannel Authentication. The user decides on a page of protocols/decoupled. */
export const cibaFeature = (parts: RealmParts): NonNullable<NonNullable<Configuration["features"]>["ciba"]> => {
  const { db, realm, vault } = parts;
  return {
    enabled: true,
    deliveryModes: ["poll", "ping"],
    validateRequestContext: () => {},
    validateBindingMessage: (_ctx, message) => {
      if (message !== undefined && !BINDING_MESSAGE.test(message))
        throw new errors.InvalidBindingMessage("binding_message takes up to 64 letters, digits, spaces and punctuation marks");
    },
    processLoginHintToken: () => {
      throw new errors.InvalidRequest("login_hint_token is not supported: send login_hint or id_token_hint");
    },
    processLoginHint: async (_ctx, hint = "") => {
      const user = await findUserByLogin(db, realm.realmId, hint);
      return user?.enabled && !user.locked ? user.userId : undefined;
    },
    // This is the engine's last hook before it stores the request.
    verifyUserCode: async (ctx, account, userCode) => {
      if (userCode !== undefined) throw new errors.InvalidRequest("user_code is not supported");
      const hint = ctx.oidc.entities.IdTokenHint as unknown as Hinted | undefined;
      const userId = hint ? await userOfHint(parts, ctx, hint) : account.accountId;
      if (userId === null) throw new errors.UnknownUserId("could not identify end-user");
      await translated(() => assertAccess(parts, snapshotOf(ctx.oidc.client as Client), { userId }));
      ctx.oidc.entity("Account", accountOf(parts, ctx, userId));
      removeCredentials(ctx);
    },
    triggerAuthenticationDevice: async (ctx, request) => {
      const token = notificationTokens.get(ctx);
      if (token !== undefined) await keepCallback(db, vault, realm.realmId, sha256(request.jti), { authReqId: request.jti, token });
    },
  };
};

/** Stores a request, unless too many wait for the user. */
export async function storeRequest({ db }: RealmParts, record: NewRecord, userId: string): Promise<void> {
  const outcome = await keepRequest(db, record, userId, { most: MAX_PENDING, now: clock.now() });
  if (outcome === "gone") throw new errors.UnknownUserId("could not identify end-user");
  if (outcome === "too_many") throw new errors.AccessDenied("too many requests wait for this user already");
}

/** The hints and the notification token are not stored with the request. */
function removeCredentials(ctx: KoaContextWithOIDC): void {
  const params = ctx.oidc.params as Record<string, unknown>;
  if (typeof params.client_notification_token === "string") notificationTokens.set(ctx, params.client_notification_token);
  for (const name of ["client_notification_token", "login_hint", "id_token_hint"]) params[name] = undefined;
}

/** Finds the user whose subject for this client is the `sub` of the hint, by id, login name or session. */
async function userOfHint(
  { db, realm, subjectOf }: RealmParts,
  ctx: KoaContextWithOIDC,
  { payload: { sub, sid } }: Hinted,
): Promise<string | null> {
  const { realmId } = realm;
  const candidates = [
    async () => (isId(sub) ? sub : null),
    async () => (await findUserByLogin(db, realmId, sub))?.userId ?? null,
    async () => (sid !== undefined && isId(sid) ? userOfSession(db, realmId, sid, clock.now()) : null),
  ];
  for (const candidate of candidates) {
    const userId = await candidate();
    if (userId === null || !(await isActiveUser(db, realmId, userId))) continue;
    if ((await subjectOf(realmId, snapshotOf(ctx.oidc.client as Client), userId)) === sub) return userId;
  }
  return null;
}
