import { usePassword } from "../../directory/credentials/index.ts";
import { addRequiredAction, findUserByLogin, holdUserForSignIn } from "../../directory/users/index.ts";
import { clock, DAY, SECOND } from "../../kernel/clock.ts";
import { AppError } from "../../kernel/errors.ts";
import { cut } from "../../kernel/text.ts";
import type { Actor, Ctx } from "../../platform/context.ts";
import type { Db } from "../../platform/db/index.ts";
import type { Metrics } from "../../platform/telemetry/metrics.ts";
import type { UnitOfWork } from "../../platform/unit-of-work.ts";
import type { RealmSnapshot } from "../../tenancy/realms/index.ts";
import { completeInteraction, type Interaction } from "../interactions/index.ts";
import { type LiveSession, type StartedSession, startSession } from "../sessions/index.ts";
import { type Attempt, countAttempt } from "./attempts.ts";
import type { PasswordAnswer, PasswordSource } from "./password-sources.ts";
import type { PasswordUpgrades } from "./password-upgrades.ts";

export interface LoginParts {
  readonly db: Db;
  readonly work: UnitOfWork;
  readonly metrics: Metrics;
  readonly sources: readonly PasswordSource[];
  readonly upgrades: PasswordUpgrades;
}

export interface LoginInput {
  readonly realm: RealmSnapshot;
  readonly login: string;
  readonly password: string;
  readonly remember: boolean;
  readonly sourceIp: string;
  readonly userAgent: string | null;
  /** The session this browser already has in the realm. */
  readonly previous: LiveSession | null;
  readonly interaction: Interaction | null;
}

export type LoginOutcome =
  | { readonly outcome: "signed-in"; readonly session: StartedSession }
  | { readonly outcome: "refused" }
  | { readonly outcome: "wait"; readonly retryAfterSeconds: number };

type RightPassword = PasswordAnswer & { verdict: "right" };

/** Checks a password and, if it is right, starts the session. Whether the user exists changes neither answer nor time. */
export async function logIn(parts: LoginParts, input: LoginInput): Promise<LoginOutcome> {
  const result = await provePassword(parts, input, (ctx, user) => openSession(ctx, input, user));
  if (result.outcome !== "proven") return result;
  parts.metrics.login(input.realm.realmId, "success");
  return { outcome: "signed-in", session: result.value };
}

/** A password that somebody brings. */
export type PasswordProof = Pick<LoginInput, "realm" | "login" | "password" | "sourceIp">;

/** Whose password was right; they are kept from being shut out until commit. */
export interface ProvenUser {
  readonly userId: string;
  readonly username: string;
}

export type ProofOutcome<T> = { readonly outcome: "proven"; readonly value: T } | Exclude<LoginOutcome, { readonly outcome: "signed-in" }>;

/**
 * What every sign-in by password goes through: counters, sources, locks, changes meanwhile, events of failures. `proven` runs in the
 * transaction in which the password was right; what it starts, the event and the count of success are its own.
 */
export async function provePassword<T>(
  parts: LoginParts,
  input: PasswordProof,
  proven: (ctx: Ctx, user: ProvenUser) => Promise<T>,
): Promise<ProofOutcome<T>> {
  const { realm, login } = input;
  const user = await findUserByLogin(parts.db, realm.realmId, login);
  const userId = user?.userId ?? null;
  const origin = { realm: realm.realmId, actor: stranger(realm.realmId, login), sourceIp: input.sourceIp };

  const attempt = await countAttempt(parts.work, origin, realm, { login, userId, sourceIp: input.sourceIp });
  if (attempt.retryAt !== null)
    return { outcome: "wait", retryAfterSeconds: Math.max(1, Math.ceil((attempt.retryAt - clock.now()) / SECOND)) };

  const isShutOut = user !== null && (!user.enabled || user.locked);
  const tryPassword = async (again = true): Promise<{ value: T } | null> => {
    const answer = await askSources(parts.sources, input, userId);
    if (answer.verdict !== "right" || isShutOut) return null;
    const accepted = await parts.work.transact(origin, (ctx) => acceptPassword(ctx, input.realm, answer, attempt, proven));
    if (accepted !== "password-changed") {
      const { userId, checked, outdated } = answer;
      if (accepted && checked !== undefined && outdated)
        parts.upgrades.soon({ realm: realm.realmId, userId, password: input.password, checked });
      return accepted;
    }
    // Somebody set another password, or another sign-in stored a better hash of this one: asking once more tells which.
    return again ? tryPassword(false) : null;
  };
  const accepted = await tryPassword().catch(async (error) => {
    // Overload, or a sign-in that moved on in another tab, says nothing about the password.
    await attempt.takeBack();
    throw error;
  });
  if (accepted) return { outcome: "proven", value: accepted.value };
  await parts.work.transact(origin, async (ctx) => recordFailure(ctx, userId, attempt));
  parts.metrics.login(realm.realmId, "failure");
  return { outcome: "refused" };
}

/** Null when the user may not sign in any more. */
async function acceptPassword<T>(
  ctx: Ctx,
  { settings: { passwordPolicy } }: RealmSnapshot,
  { userId, checked, setAt }: RightPassword,
  attempt: Attempt,
  proven: (ctx: Ctx, user: ProvenUser) => Promise<T>,
): Promise<{ value: T } | "password-changed" | null> {
  const { maxAgeDays } = passwordPolicy;
  const hasExpired = setAt !== undefined && maxAgeDays !== null && setAt + maxAgeDays * DAY <= ctx.now;
  // Held until commit: whoever disables the user or changes the password now finds this session and ends it.
  const user = await holdUserForSignIn(ctx.tx, ctx.realm, userId, { toWrite: hasExpired });
  if (!user) return null;
  if (checked !== undefined && !(await usePassword(ctx.tx, ctx.realm, userId, checked, ctx.now))) return "password-changed";
  if (hasExpired) await addRequiredAction(ctx.tx, ctx.realm, userId, "UPDATE_PASSWORD");
  await attempt.succeeded(ctx);
  return { value: await proven(ctx, { userId, username: user.username }) };
}

async function openSession(ctx: Ctx, input: LoginInput, { userId, username }: ProvenUser): Promise<StartedSession> {
  const started = await startSession(ctx, input.realm.settings.sessions, { ...input, userId, acr: null, amr: ["pwd"] });
  if (input.interaction) await completeInteraction(ctx, input.interaction, { userId, sessionId: started.sessionId });
  ctx.audit({ category: "AUTHN", type: "LOGIN_SUCCESS", actor: { id: userId, name: username } });
  return started;
}

function recordFailure(ctx: Ctx, userId: string | null, attempt: Attempt): void {
  ctx.audit({ category: "AUTHN", type: "LOGIN_FAILURE", outcome: "FAILURE", actor: { id: userId, name: ctx.actor.name } });
  if (attempt.locksUser && userId !== null)
    ctx.audit({
      category: "SECURITY",
      type: "USER_LOCKED",
      resourceType: "users",
      resourceId: userId,
      detail: "too many failed attempts",
    });
}

async function askSources(sources: readonly PasswordSource[], input: PasswordProof, userId: string | null): Promise<PasswordAnswer> {
  for (const source of sources) {
    const answer = await source.check({ realm: input.realm.realmId, userId, login: input.login, password: input.password });
    if (answer.verdict !== "unknown") return answer;
  }
  return { verdict: "unknown" };
}

/** Nobody yet: the trail shows what was typed. */
export const stranger = (realm: string, login: string): Actor => ({
  id: "anonymous",
  name: cut(login, 255),
  realm,
  permissions: new Set(),
  sessionId: null,
  impersonator: null,
});

export const isOverloaded = (error: unknown): error is AppError => error instanceof AppError && error.code === "auth.overloaded";
