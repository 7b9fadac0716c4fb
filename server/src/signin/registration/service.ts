import type { onRequestAsyncHookHandler } from "fastify";
import { type PasswordParts, preparePassword, savePassword } from "../../directory/credentials/index.ts";
import { addRequiredAction, createUser, findUserByLogin, readUser, userErrors } from "../../directory/users/index.ts";
import { clock, MINUTE } from "../../kernel/clock.ts";
import { loginKey } from "../../kernel/text.ts";
import type { Ctx } from "../../platform/context.ts";
import type { Db } from "../../platform/db/index.ts";
import type { UnitOfWork } from "../../platform/unit-of-work.ts";
import type { RealmSnapshot } from "../../tenancy/realms/index.ts";
import { failureOf, type Mailed, type MailParts, mailLink, unmailed } from "../action-tokens/index.ts";
import { freshProgress, type Progress } from "../authenticators/index.ts";
import type { Flows, FlowsSnapshot } from "../flows/index.ts";
import type { VisitorParts } from "../login/index.ts";
import type { WayBack } from "../self-service/index.ts";
import { hasTerms } from "../terms/index.ts";

/** What somebody typed who wants an account, once it is known to be well-formed. */
export interface Applicant {
  readonly username: string;
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
}

/** Kept until the mail comes back. */
export interface PendingAccount extends Applicant {
  readonly hash: string;
  /** Of the browser that asked: there the link goes back to where it was. */
  readonly browserHash: string;
  readonly way: WayBack;
}

export interface RegistrationParts extends PasswordParts, MailParts {
  readonly db: Db;
  readonly work: UnitOfWork;
}

/** Of the routes. */
export interface SelfRegistrationParts extends VisitorParts, RegistrationParts {
  readonly flows: Flows;
  /** Refuse an address that posts too often, and one that registers too often. */
  readonly limits: onRequestAsyncHookHandler[];
}

/** Why nobody can register in the realm now; null where everybody can. */
export async function whyClosed(
  { db, messages }: Pick<RegistrationParts, "db" | "messages">,
  { realmId, settings: { registration } }: RealmSnapshot,
): Promise<"registration-off" | "no-mail" | null> {
  if (!registration.enabled) return "registration-off";
  return registration.verifyEmail && !(await messages.canSend(db, realmId, "EMAIL")) ? "no-mail" : null;
}

const MINUTES = 60;
export const REGISTER_PATH = "register/confirm";

/** Everything slow, the same for a name that is free and one that is taken. */
export const prepareAccount = async ({ db, ...parts }: RegistrationParts, realm: RealmSnapshot, applicant: Applicant, password: string) =>
  (await preparePassword({ tx: db, realm: realm.realmId }, parts, realm.settings.passwordPolicy, { userId: null, ...applicant }, password))
    .hash;

/**
 * A mail to the address: with a link and a code where it is free, else that there is an account already. What is answered is the same.
 * That a username is taken has to be told; with `emailAsUsername` there is none to ask about.
 */
export async function applyByMail(
  ctx: Ctx,
  parts: RegistrationParts,
  realm: RealmSnapshot,
  pending: PendingAccount,
  locale: string,
): Promise<Mailed> {
  const { username, email } = pending;
  const isSame = loginKey(username) === loginKey(email);
  if (!isSame && (await findUserByLogin(ctx.tx, ctx.realm, username))) throw userErrors.login_name_taken();
  const holder = await findUserByLogin(ctx.tx, ctx.realm, email);
  if (!holder)
    return mailLink(ctx, parts, {
      ...{ kind: "registration", templateKey: "verify-email", path: REGISTER_PATH, minutes: MINUTES },
      ...{ to: email, user: null, locale, data: { ...pending } },
    });
  const user = await readUser(ctx, holder.userId);
  // Of somebody who signs in by that name but reads mail elsewhere, nothing is known here.
  if (user.email !== null && loginKey(user.email) === loginKey(email))
    await parts.messages
      .send(ctx, {
        ...{ templateKey: "account-exists-email", to: user.email, locale },
        user: { id: user.userId, username: user.username, email: user.email, attributes: user.attributes },
        values: { link: `${parts.baseUrl}/realms/${realm.realmId}/login` },
        expiresAt: ctx.now + MINUTES * MINUTE,
      })
      .catch((error) => void failureOf(error));
  return unmailed(ctx, parts);
}

/** The account, with what its owner is asked to do next. Of two at once under one name, the second is refused. */
export async function createAccount(
  ctx: Ctx,
  { settings }: RealmSnapshot,
  { username, email, firstName, lastName, hash }: Applicant & { readonly hash: string },
  { emailVerified }: { readonly emailVerified: boolean },
): Promise<string> {
  const { userId } = await createUser(ctx, { username, email, emailVerified, attributes: { firstName, lastName } });
  await savePassword(ctx.tx, ctx.realm, userId, hash, ctx.now);
  const { requiredActions, terms } = settings.registration;
  for (const action of [...requiredActions, ...(terms && hasTerms(settings) ? (["ACCEPT_TERMS"] as const) : [])])
    await addRequiredAction(ctx.tx, ctx.realm, userId, action);
  ctx.audit({ category: "AUTHN", type: "REGISTER", actor: { id: userId, name: username } });
  return userId;
}

/** They have just chosen the password: signing in goes on from there, through the realm's flow `registration`. */
export function registeredProgress({ byAlias }: FlowsSnapshot, userId: string, username: string): Progress {
  const step = { path: "registered", authenticator: "registration", factor: "knowledge", amr: ["pwd"], at: clock.now() } as const;
  return { ...freshProgress(byAlias.get("registration")!), userId, login: username, passed: [step] };
}
