import { type PasswordParts, preparePassword, savePassword } from "../../directory/credentials/index.ts";
import * as users from "../../directory/users/index.ts";
import { clock, MINUTE } from "../../kernel/clock.ts";
import { loginKey } from "../../kernel/text.ts";
import type { RegistrationForm } from "../../pages/index.ts";
import type { Ctx } from "../../platform/context.ts";
import { type Db, inSavepoint } from "../../platform/db/index.ts";
import type { Origin, UnitOfWork } from "../../platform/unit-of-work.ts";
import type { RealmSnapshot } from "../../tenancy/realms/index.ts";
import { confirmsFirst, readUserProfile } from "../../tenancy/settings/index.ts";
import { failureOf, type Mailed, type MailParts, mailLink, takeTokenByHash } from "../action-tokens/index.ts";
import { freshProgress, hasTerms, NO_ADDRESS, type Progress } from "../authenticators/index.ts";
import type { Flows, FlowsSnapshot } from "../flows/index.ts";
import type { PageParts } from "../login/index.ts";
import { askedAtRegistration } from "../own-profile/index.ts";
import type { WayBack } from "../self-service/index.ts";

/** An account that is stored until its address is confirmed. */
export interface PendingAccount extends RegistrationForm {
  readonly hash: string;
  /** The browser that registered. In it the link continues the sign-in. */
  readonly browserHash: string;
  readonly way: WayBack;
}

export interface RegistrationParts extends PasswordParts, MailParts {
  readonly db: Db;
  readonly work: UnitOfWork;
}

/** The dependencies of the routes. */
export interface SelfRegistrationParts extends PageParts, RegistrationParts {
  readonly flows: Flows;
}

/** Returns the reason why registration is closed in the realm now, or null if it is open. */
export async function whyClosed(
  { db, messages }: Pick<RegistrationParts, "db" | "messages">,
  { realmId, settings: { registration } }: RealmSnapshot,
): Promise<"registration-off" | "no-mail" | null> {
  if (!registration.enabled) return "registration-off";
  return confirmsFirst(registration) && !(await messages.canSend(db, realmId, "EMAIL")) ? "no-mail" : null;
}

const MINUTES = 60;
export const REGISTER_PATH = "register/confirm";

/** Does the slow work, the same for free and taken names, so that timing reveals nothing. */
export const prepareAccount = async (
  { db, ...parts }: RegistrationParts,
  realm: RealmSnapshot,
  applicant: RegistrationForm,
  password: string,
) =>
  (await preparePassword({ tx: db, realm: realm.realmId }, parts, realm.settings.passwordPolicy, { userId: null, ...applicant }, password))
    .hash;

/**
 * Sends a mail to the address: with a link and a code if it is free, otherwise that there is an account already. The answer is the same. A
 * taken username has to be reported; with `emailAsUsername` there is none to probe.
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
  if (!isSame && (await users.findUserByLogin(ctx.tx, ctx.realm, username))) throw users.userErrors.login_name_taken();
  const owner = await ownerOf(ctx, email);
  // A username in the form of an address does not prevent the owner of that address from claiming it.
  return mailEither(ctx, parts, realm, pending, { isPending: owner === null, owner, locale });
}

/** Thrown to keep the former mail valid, if no other can be sent. */
class NotMailed extends Error {
  readonly failure: NonNullable<Mailed["failure"]>;
  constructor(failure: NonNullable<Mailed["failure"]>) {
    super(failure);
    this.failure = failure;
  }
}

/** Sends the mail again, with another link and code. Earlier ones stop working, unless no mail can be sent. */
export async function mailAgain(
  parts: RegistrationParts,
  origin: Origin,
  realm: RealmSnapshot,
  waiting: { readonly email: string; readonly mailed: Mailed },
  locale: string,
  keep: (ctx: Ctx, mailed: Mailed) => Promise<void>,
): Promise<Mailed["failure"]> {
  const send = async (ctx: Ctx): Promise<Mailed> => {
    const pending = await takeTokenByHash(ctx, "registration", waiting.mailed.tokenHash);
    const owner = pending ? null : await ownerOf(ctx, waiting.email);
    const applicant = pending ? (pending.data as unknown as PendingAccount) : waiting;
    return mailEither(ctx, parts, realm, applicant, { isPending: pending !== null, owner, locale });
  };
  return parts.work
    .transact(origin, async (ctx) => {
      const mailed = await send(ctx);
      if (mailed.failure !== null) throw new NotMailed(mailed.failure);
      await keep(ctx, mailed);
      return null;
    })
    .catch((error: unknown) => {
      if (error instanceof NotMailed) return error.failure;
      throw error;
    });
}

interface Reader {
  /** True if the address is free and waits to be confirmed. */
  readonly isPending: boolean;
  /** The user who has the address, if it is taken. */
  readonly owner: users.UserRow | null;
  readonly locale: string;
}

/**
 * Writes both mails, and keeps the one that is right for the address. The page and the time do not depend on which one: the first decides
 * whether a mail can be sent, and a realm that disabled the second tells the owner nothing.
 */
async function mailEither(
  ctx: Ctx,
  parts: RegistrationParts,
  realm: RealmSnapshot,
  applicant: Pick<PendingAccount, "email">,
  { isPending, owner, locale }: Reader,
): Promise<Mailed> {
  const mailed = await mailLink(ctx, parts, {
    // Anyone can register an address, so this does not use up the messages that its owner needs to confirm it in an account.
    ...{ kind: "registration", templateKey: "verify-email", countedAs: "account-exists-email", path: REGISTER_PATH, minutes: MINUTES },
    ...{ to: applicant.email, user: null, locale, data: { ...applicant }, keeps: isPending, keepsUnsent: true },
  });
  if (mailed.failure === null) await notifyOwner(ctx, parts, realm, owner, locale);
  return mailed;
}

/** Finds the user who has the address and signs in by it. */
async function ownerOf(ctx: Ctx, email: string): Promise<users.UserRow | null> {
  const holder = await users.findUserByLogin(ctx.tx, ctx.realm, email);
  const user = holder && (await users.readUser(ctx, holder.userId));
  return user && users.isAddressOf(user, email) ? user : null;
}

/**
 * Tells the owner of the address that there is an account. Without an owner the mail is written and rolled back. A mail that the realm has
 * disabled is counted, so that the page shows the same full mailbox.
 */
function notifyOwner(ctx: Ctx, parts: RegistrationParts, { realmId }: RealmSnapshot, owner: users.UserRow | null, locale: string) {
  const message = {
    templateKey: "account-exists-email",
    to: owner?.email ?? NO_ADDRESS.EMAIL,
    locale,
    user: owner && { ...owner, id: owner.userId },
    values: { link: `${parts.baseUrl}/realms/${realmId}/login` },
    expiresAt: ctx.now + MINUTES * MINUTE,
  } as const;
  const write = () =>
    parts.messages.send(ctx, message).catch((error) => (failureOf(error) === "unavailable" ? parts.messages.count(ctx, message) : null));
  return inSavepoint(ctx.tx, write, () => owner !== null).catch((error) => void failureOf(error));
}

/** Sends the same mail if accounts need no confirmation. It is sent after the response, so that timing does not reveal an account. */
export function notifyOwnerLater(ctx: Ctx, parts: RegistrationParts, realm: RealmSnapshot, email: string, locale: string): void {
  const origin = { realm: ctx.realm, actor: ctx.actor, sourceIp: null };
  const notify = async (later: Ctx) => {
    const owner = await ownerOf(later, email);
    if (owner && (await parts.messages.canSend(later.tx, later.realm, "EMAIL"))) await notifyOwner(later, parts, realm, owner, locale);
  };
  ctx.afterCommit(() => void parts.work.transact(origin, notify).catch(() => {})); // best effort
}

/**
 * Creates the account, with the actions that its owner has to do next. The second of two concurrent ones under one name is refused. Without
 * a password, its owner chooses one before anything else.
 */
export async function createAccount(
  ctx: Ctx,
  { settings }: RealmSnapshot,
  { username, email, firstName, lastName, attributes: typed = {}, hash }: RegistrationForm & { readonly hash: string | null },
  { emailVerified }: { readonly emailVerified: boolean },
): Promise<string> {
  // The realm may have closed an attribute, or changed its type, since the values were typed.
  const profile = await readUserProfile(ctx);
  const open = askedAtRegistration({ ...settings, userProfile: profile }).map(({ name }) => name);
  const given = Object.entries({ ...withNames(firstName, lastName), ...typed }).filter(([name]) => open.includes(name));
  const attributes = users.fittingAttributes(profile, users.withCleanNames(Object.fromEntries(given) as users.UserRow["attributes"]));
  const proof = emailVerified ? "confirmed" : "unconfirmed";
  const { userId } = await users.createUser(ctx, { username, email, emailVerified, attributes }, proof, "local", "source");
  if (hash === null) await users.addRequiredAction(ctx.tx, ctx.realm, userId, "UPDATE_PASSWORD");
  else await savePassword(ctx.tx, ctx.realm, userId, hash, ctx.now);
  const { requiredActions, terms } = settings.registration;
  for (const action of [...requiredActions, ...(terms && hasTerms(settings) ? (["ACCEPT_TERMS"] as const) : [])])
    await users.addRequiredAction(ctx.tx, ctx.realm, userId, action);
  ctx.audit({ category: "AUTHN", type: "REGISTER", actor: { id: userId, name: username } });
  return userId;
}

const withNames = (firstName: string, lastName: string) => ({ ...(firstName && { firstName }), ...(lastName && { lastName }) });

/**
 * Returns the progress of a sign-in after a registration: the chosen password counts as proof, or the mail if none was chosen. The sign-in
 * continues by the realm's flow `registration`.
 */
export function registeredProgress(
  { byAlias }: FlowsSnapshot,
  userId: string,
  username: string,
  by: "password" | "mail" = "password",
): Progress {
  const proof = by === "password" ? ({ factor: "knowledge", amr: ["pwd"] } as const) : ({ factor: "possession", amr: ["email"] } as const);
  const step = { path: "registered", authenticator: "registration", ...proof, at: clock.now() } as const;
  return { ...freshProgress(byAlias.get("registration")!), userId, login: username, passed: [step] };
}
