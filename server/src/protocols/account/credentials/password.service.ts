import type { FastifyRequest } from "fastify";
import Type, { type Static } from "typebox";
import {
  findPassword,
  isDirectorySource,
  type PasswordParts,
  prepareReplacement,
  untilStored,
} from "../../../directory/credentials/index.ts";
import { changeOwnPassword, readUser } from "../../../directory/users/index.ts";
import { clock } from "../../../kernel/clock.ts";
import { AppError } from "../../../kernel/errors.ts";
import type { Ctx } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import { overloaded, passwordErrors } from "../../../platform/passwords/index.ts";
import { requestSource, type UnitOfWork } from "../../../platform/unit-of-work.ts";
import { type Attempt, countAttempt, recordLock } from "../../../signin/run/index.ts";
import { accountErrors } from "../errors.ts";

export const ChangePassword = Type.Object(
  {
    currentPassword: Type.String({ minLength: 1, maxLength: 1024 }),
    newPassword: Type.String({ minLength: 1, maxLength: 1024 }),
  },
  { $id: "ChangePassword", additionalProperties: false },
);
type ChangePassword = Static<typeof ChangePassword>;

export interface PasswordChangeParts extends Required<PasswordParts> {
  readonly db: Db;
  readonly work: UnitOfWork;
}

/** Changes the user's password. Wrong current passwords are counted together with those at sign-in, and lock like those. */
export async function changePassword(parts: PasswordChangeParts, req: FastifyRequest, change: ChangePassword): Promise<void> {
  const { db, work, hasher } = parts;
  const { realm } = req;
  const actor = req.actor!;
  const { realmId, settings } = realm;
  const origin = { realm: realmId, actor, ...requestSource(req) };
  const reading = { tx: db, realm: realmId, actor, now: clock.now() };
  // The check comes before anything is read or counted, as at sign-in.
  if (hasher.isOverloaded()) throw overloaded();
  const user = await readUser(reading, actor.id);

  const attempt = await countAttempt({ db, work }, origin, realm, { login: user.username, userId: user.userId, sourceIp: req.ip });
  if (attempt.retryAfterSeconds !== null) throw accountErrors.wait(attempt.retryAfterSeconds);

  const replace = async (): Promise<boolean> => {
    const present = await findPassword(db, realmId, user.userId);
    if (!present && !isDirectorySource(user.source)) throw accountErrors.no_password();
    if (present && !(await hasher.verify(present.hash, change.currentPassword))) throw passwordErrors.wrong();
    const passwords = { next: change.newPassword, current: change.currentPassword };
    const prepared = await prepareReplacement(reading, parts, settings.passwordPolicy, user, passwords);
    // The replaced password has to be the one that the user knew.
    if ("replaces" in prepared && prepared.replaces !== present?.hash) return false;
    return work.transact(origin, async (ctx) => {
      const stored = await changeOwnPassword(ctx, prepared);
      if (stored) await attempt.succeeded(ctx);
      return stored;
    });
  };
  await untilStored(replace).catch(async (error) => {
    if (error instanceof AppError && error.code === "password.wrong")
      await work.transact(origin, async (ctx) => recordWrongPassword(ctx, user.userId, attempt));
    // A refused new password, or overload, reveals nothing about the current one.
    else await attempt.takeBack();
    throw error;
  });
}

function recordWrongPassword(ctx: Ctx, userId: string, attempt: Attempt): void {
  const about = { resourceType: "users", resourceId: userId };
  ctx.audit({ category: "SECURITY", type: "PASSWORD_CHANGED", outcome: "FAILURE", ...about, detail: "wrong present password" });
  recordLock(ctx, userId, attempt);
}
