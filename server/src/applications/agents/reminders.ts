import { findUser } from "../../directory/users/index.ts";
import { clock, DAY } from "../../kernel/clock.ts";
import { AppError } from "../../kernel/errors.ts";
import { type Ctx, systemActor } from "../../platform/context.ts";
import type { Db } from "../../platform/db/index.ts";
import type { UnitOfWork } from "../../platform/unit-of-work.ts";
import type { Messages } from "../../tenancy/messaging/index.ts";
import { moveAgent, takeAgent } from "./service.ts";
import { type AgentRow, agentsToRemind, agentsToSuspend, type DueAgent, markReminded } from "./store.ts";

export interface ReminderParts {
  readonly db: Db;
  readonly work: UnitOfWork;
  readonly messages: Messages;
  readonly baseUrl: string;
  readonly log: { info(details: object, message: string): void };
}

const MAIL_LIFETIME = 7 * DAY;

/** Reminds owners of reviews that are due, once each, and suspends agents whose review is long overdue, if the realm says so. */
export async function remindOwners(parts: ReminderParts): Promise<void> {
  const { db, work } = parts;
  const each = async (due: readonly DueAgent[], run: (ctx: Ctx, agent: DueAgent) => Promise<void>) => {
    for (const agent of due)
      await work.transact({ realm: agent.realm, actor: systemActor(agent.realm), sourceIp: null }, (ctx) => run(ctx, agent));
  };
  await each(await agentsToSuspend(db, clock.now()), async (ctx, { id }) => {
    const agent = await takeAgent(ctx, id);
    if (agent.status === "ACTIVE" && (agent.reviewDueAt ?? Infinity) <= ctx.now)
      await moveAgent(ctx, agent, "SUSPENDED", "its review is overdue");
  });
  await each(await agentsToRemind(db, clock.now()), async (ctx, due) => {
    if (await markReminded(ctx.tx, due, ctx.now)) await remind(ctx, parts, await takeAgent(ctx, due.id));
  });
}

/** Mails the owner. An owner without an address, or in a realm that sends no mail, finds the review in the console and in the account. */
async function remind(ctx: Ctx, { messages, baseUrl, log }: ReminderParts, { id, name, ownerUserId }: AgentRow): Promise<void> {
  const owner = ownerUserId === null ? null : await findUser(ctx.tx, ctx.realm, ownerUserId, ctx.now);
  if (!owner?.email || !owner.enabled || !(await messages.canSend(ctx.tx, ctx.realm, "EMAIL"))) return;
  try {
    await messages.send(ctx, {
      templateKey: "agent-review-email",
      to: owner.email,
      user: { ...owner, id: owner.userId },
      values: { link: `${baseUrl}/realms/${ctx.realm}/login`, agent: name },
      expiresAt: ctx.now + MAIL_LIFETIME,
    });
  } catch (error) {
    // The realm has disabled the mail, the address is invalid, or there were too many mails.
    if (!(error instanceof AppError) || error.status >= 500) throw error;
    log.info({ realm: ctx.realm, agent: id, code: error.code }, "no mail about a due review was sent");
  }
}
