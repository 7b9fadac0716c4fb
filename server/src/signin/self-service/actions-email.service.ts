import type { Clients } from "../../applications/clients/index.ts";
import { findUserForUpdate, holdUserForSignIn, type RequiredAction } from "../../directory/users/index.ts";
import { SECOND } from "../../kernel/clock.ts";
import { defineErrors, type FieldError, invalidFields } from "../../kernel/errors.ts";
import type { Ctx } from "../../platform/context.ts";
import type { Messages } from "../../tenancy/messaging/index.ts";
import type { Settings } from "../../tenancy/settings/index.ts";
import { dropTokensOf, newActionToken, storeToken, takeToken } from "../action-tokens/index.ts";
import { confirmMailed, freshProgress, hasTerms, type PassedStep, type Progress, withPassed } from "../authenticators/index.ts";
import { type Flow, isSubFlow, type Step } from "../flows/index.ts";
import { startInteraction } from "../run/index.ts";
import type { SendActionsEmail } from "./actions-email.schema.ts";

export const ACTIONS_KIND = "account-actions";
export const ACTIONS_PATH = "account-actions";
const DEFAULT_LIFESPAN = 12 * 60 * 60;

const errors = defineErrors("actions_email", {
  shut_out: [409, "This user is disabled or locked and cannot follow a link: enable or unlock the user first"],
  no_address: [409, "This user has no email address: add one first"],
  unconfirmed_address: [
    409,
    "This user's email address is not confirmed: confirm it first, or add VERIFY_EMAIL to `actions`, so that following the link confirms it",
  ],
});

/** The content of the mailed link. */
export interface ActionsLink {
  readonly email: string;
  readonly username: string;
  readonly actions: readonly RequiredAction[];
  readonly clientId: string | null;
  readonly redirectUri: string | null;
}

/** Refuses actions that can never be asked in this realm, and addresses that are not the client's, before anything is mailed. */
export async function checkActionsEmail(
  realm: { readonly realmId: string; readonly settings: Pick<Settings, "terms"> },
  clients: Clients,
  { actions, clientId, redirectUri }: SendActionsEmail,
): Promise<void> {
  const wrong: FieldError[] = [];
  for (const [index, action] of actions.entries())
    if (action === "ACCEPT_TERMS" && !hasTerms(realm.settings))
      wrong.push({ field: `actions.${index}`, code: "unavailable", message: "ACCEPT_TERMS: this realm has no terms to accept" });
  if (redirectUri !== undefined && clientId === undefined)
    wrong.push({
      field: "clientId",
      code: "required",
      message: "clientId is required with redirectUri, because the address must belong to a client",
    });
  if (clientId !== undefined) {
    const client = await clients.get(realm.realmId, clientId);
    if (!client?.enabled) wrong.push({ field: "clientId", code: "unknown", message: "clientId names no enabled client of this realm" });
    else if (redirectUri !== undefined && !(await isDestination(clients, realm.realmId, { clientId, redirectUri })))
      wrong.push({ field: "redirectUri", code: "unknown", message: "redirectUri is not one of the client's http or https redirectUris" });
  }
  if (wrong.length > 0) throw invalidFields(wrong);
}

/** Tells whether the address is one of the client's. It is checked again when the link is followed, because clients change. */
export async function isDestination(
  clients: Clients,
  realm: string,
  { clientId, redirectUri }: Pick<ActionsLink, "clientId" | "redirectUri">,
): Promise<boolean> {
  if (clientId === null || redirectUri === null || !/^https?:\/\//i.test(redirectUri)) return false;
  const client = await clients.get(realm, clientId);
  return client?.enabled === true && client.redirectUris.includes(redirectUri);
}

/**
 * Mails a user a link by which they do the required actions. A reader of the mail acts as the user, so `findUserForUpdate` requires control
 * of them, as it does to set their password.
 */
export async function sendActionsEmail(
  ctx: Ctx,
  { messages, baseUrl }: { readonly messages: Messages; readonly baseUrl: string },
  id: string,
  { actions, clientId, redirectUri, lifespanSeconds = DEFAULT_LIFESPAN }: SendActionsEmail,
): Promise<void> {
  const { userId, username, email, emailVerified, enabled, locked, attributes } = await findUserForUpdate(ctx, id);
  if (!enabled || locked) throw errors.shut_out();
  if (email === null) throw errors.no_address();
  if (!emailVerified && !actions.includes("VERIFY_EMAIL")) throw errors.unconfirmed_address();
  const token = newActionToken();
  const expiresAt = ctx.now + lifespanSeconds * SECOND;
  const data: ActionsLink = { email, username, actions, clientId: clientId ?? null, redirectUri: redirectUri ?? null };
  // Only the latest mail counts.
  await dropTokensOf(ctx, ACTIONS_KIND, userId);
  await storeToken(ctx, { kind: ACTIONS_KIND, userId, data: { ...data }, expiresAt, token });
  await messages.send(ctx, {
    templateKey: "account-actions-email",
    to: email,
    user: { id: userId, username, email, emailVerified, attributes },
    values: { link: `${baseUrl}/realms/${ctx.realm}/${ACTIONS_PATH}/${token}`, ttlSeconds: lifespanSeconds },
    expiresAt,
  });
  const detail = `actions email: ${actions.join(", ")}`;
  ctx.audit({ category: "ADMIN", type: "ADMIN_ACTION", resourceType: "users", resourceId: userId, detail });
}

export interface Following {
  readonly token: string;
  /** The flow `reset-credentials`: the link proves the same as a mail to reset a password, and the flow asks for the rest. */
  readonly flow: Flow;
  readonly preSession: string;
  /** The final redirect. It is also in `callbacks` if it belongs to an application. */
  readonly returnTo: string;
  readonly callbacks: readonly string[];
}

/**
 * Starts the sign-in that asks for the actions. Returns null if the link was used or replaced, or if the account is closed or has another
 * address by now.
 */
export async function followActionsLink(ctx: Ctx, { token, flow, preSession, returnTo, callbacks }: Following): Promise<string | null> {
  const taken = await takeToken(ctx, ACTIONS_KIND, token);
  if (!taken || taken.userId === null) return null;
  const { userId } = taken;
  const { username, actions } = taken.data as unknown as ActionsLink;
  const user = await holdUserForSignIn(ctx.tx, ctx.realm, userId, { toWrite: true });
  if (!user || !(await confirmMailed(ctx, taken))) return null;
  return startInteraction(ctx, {
    kind: "login",
    browser: preSession,
    request: {
      flow: flow.alias,
      // The link has confirmed the address.
      actions: actions.filter((action) => action !== "VERIFY_EMAIL"),
      ...(callbacks.length > 0 && { callbacks }),
    },
    state: { ...provenByMail(flow, { userId, username }, ctx.now) },
    returnTo,
  });
}

/** Returns the progress of a sign-in with a login name and a mailed code. */
function provenByMail(flow: Flow, { userId, username }: { userId: string; username: string }, at: number): Progress {
  const mailed: PassedStep = {
    path: pathOf(flow.steps, "reset-email") ?? "actions-email",
    ...{ authenticator: "reset-email", factor: "possession", amr: ["email"], at },
  };
  const named = pathOf(flow.steps, "username");
  const begun = { ...freshProgress(flow), login: username };
  const withName =
    named === null ? begun : withPassed(begun, { path: named, authenticator: "username", factor: null, amr: [], at }, { userId });
  return withPassed(withName, mailed, { userId });
}

function pathOf(steps: readonly Step[], authenticator: string, prefix = ""): string | null {
  for (const [index, step] of steps.entries()) {
    const path = `${prefix}${index}`;
    const found = isSubFlow(step) ? pathOf(step.steps, authenticator, `${path}.`) : step.authenticator === authenticator ? path : null;
    if (found !== null) return found;
  }
  return null;
}
