import { sql } from "kysely";
import type { Vault } from "../../kernel/vault.ts";
import type { Ctx } from "../../platform/context.ts";
import { limitOf, MESSAGE_JOB, messageMarks } from "./messages.ts";
import { templateKeys } from "./templates.catalogue.ts";

interface ErasedRecipient {
  readonly userId: string;
  readonly email: string | null;
  readonly attributes: Readonly<Record<string, string | readonly string[]>>;
}

/** Handles `user.erased`: deletes the user's pending messages, and the counters of their messages. */
export function forgetMessages(vault: Vault): (ctx: Ctx, person: ErasedRecipient) => Promise<void> {
  const marks = messageMarks(vault);
  return async (ctx, { userId, email, attributes }) => {
    const numbers = Object.hasOwn(attributes, "phoneNumber") ? [attributes.phoneNumber!].flat() : [];
    const { rows: devices } = await sql<{ id: string }>`
      select push_token_id as id from push_tokens where realm_id = ${ctx.realm} and user_id = ${userId}`.execute(ctx.tx);
    const recipients = [
      ...(email === null ? [] : [marks.recipient(ctx.realm, "EMAIL", email)]),
      ...numbers.map((number) => marks.recipient(ctx.realm, "SMS", number)),
      ...devices.map(({ id }) => marks.recipient(ctx.realm, "PUSH", id)),
    ];
    // Earlier releases had one counter for all templates.
    const limits = [...recipients, marks.user(ctx.realm, userId)].flatMap((mark) => [
      mark,
      ...templateKeys.map((key) => limitOf(mark, key)),
    ]);
    await sql`
      delete from jobs where kind = ${MESSAGE_JOB} and realm_id = ${ctx.realm}
        and (payload ->> 'user' = ${marks.user(ctx.realm, userId)} or payload ->> 'to' = any(${recipients}::text[]))`.execute(ctx.tx);
    await sql`delete from message_limits where realm_id = ${ctx.realm} and subject = any(${limits}::text[])`.execute(ctx.tx);
  };
}
