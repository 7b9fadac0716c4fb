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
  const { realm, login } = input;
  const user = await findUserByLogin(parts.db, realm.realmId, login);
  const userId = user?.userId ?? null;
  const origin = { realm: realm.realmId, actor: stranger(realm.realmId, login), sourceIp: input.sourceIp };

  const attempt = await countAttempt(parts.work, origin, realm, { login, userId, sourceIp: input.sourceIp });
  if (attempt.retryAt !== null)
    return { outcome: "wait", retryAfterSeconds: Math.max(1, Math.ceil((attempt.retryAt - clock.now()) / SECOND)) };

  const isShutOut = user !== null && (!user.enabled || user.locked);
  const tryPassword = async (again = true): Promise<StartedSession | null> => {
    const answer = await askSources(parts.sources, input, userId);
    if (answer.verdict !== "right" || isShutOut) return null;
    const session = await parts.work.transact(origin, (ctx) => openSession(ctx, input, answer, attempt));
    if (session !== "password-changed") {
      const { userId, checked, outdated } = answer;
      if (session && checked !== undefined && outdated)
        parts.upgrades.soon({ realm: realm.realmId, userId, password: input.password, checked });
      return session;
    }
    // Somebody set another password, or another sign-in stored a better hash of this one: asking once more tells which.
    return again ? tryPassword(false) : null;
  };
  const session = await tryPassword().catch(async (error) => {
    // Overload, or a sign-in that moved on in another tab, says nothing about the password.
    await attempt.takeBack();
    throw error;
  });
  if (!session) await parts.work.transact(origin, async (ctx) => recordFailure(ctx, userId, attempt));
  parts.metrics.login(realm.realmId, session ? "success" : "failure");
  return session ? { outcome: "signed-in", session } : { outcome: "refused" };
}

/** Null when the user may not sign in any more. */
async function openSession(
  ctx: Ctx,
  input: LoginInput,
  answer: RightPassword,
  attempt: Attempt,
): Promise<StartedSession | "password-changed" | null> {
  const { userId, checked, setAt } = answer;
  const { sessions, passwordPolicy } = input.realm.settings;
  const { maxAgeDays } = passwordPolicy;
  const hasExpired = setAt !== undefined && maxAgeDays !== null && setAt + maxAgeDays * DAY <= ctx.now;
  // Held until commit: whoever disables the user or changes the password now finds this session and ends it.
  const user = await holdUserForSignIn(ctx.tx, ctx.realm, userId, { toWrite: hasExpired });
  if (!user) return null;
  if (checked !== undefined && !(await usePassword(ctx.tx, ctx.realm, userId, checked, ctx.now))) return "password-changed";
  if (hasExpired) await addRequiredAction(ctx.tx, ctx.realm, userId, "UPDATE_PASSWORD");
  await attempt.succeeded(ctx);
  const started = await startSession(ctx, sessions, { ...input, userId, acr: null, amr: ["pwd"] });
  if (input.interaction) await completeInteraction(ctx, input.interaction, { userId, sessionId: started.sessionId });
  ctx.audit({ category: "AUTHN", type: "LOGIN_SUCCESS", actor: { id: userId, name: user.username } });
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

async function askSources(sources: readonly PasswordSource[], input: LoginInput, userId: string | null): Promise<PasswordAnswer> {
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
