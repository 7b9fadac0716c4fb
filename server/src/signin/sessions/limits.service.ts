import { DAY, HOUR, MINUTE } from "../../kernel/clock.ts";
import type { Ctx } from "../../platform/context.ts";
import type { Settings } from "../../tenancy/settings/index.ts";
import { shortenSessions } from "./limits.store.ts";

/** Applies shorter lifetimes to the existing sessions on `settings.changed`. */
export async function limitSessions(
  ctx: Ctx,
  { before, settings }: { readonly before: Settings; readonly settings: Settings },
): Promise<void> {
  const { rememberMe, rememberDays, absoluteHours, idleMinutes } = settings.sessions;
  const was = before.sessions;
  const isShorter =
    idleMinutes < was.idleMinutes ||
    absoluteHours < was.absoluteHours ||
    rememberDays < was.rememberDays ||
    (was.rememberMe && !rememberMe);
  const rememberedMs = rememberMe ? rememberDays * DAY : null;
  if (isShorter) await shortenSessions(ctx.tx, ctx.realm, { idleMs: idleMinutes * MINUTE, absoluteMs: absoluteHours * HOUR, rememberedMs });
}
