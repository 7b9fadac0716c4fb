import type { ClientSnapshot } from "../../../applications/clients/index.ts";
import { clock } from "../../../kernel/clock.ts";
import type { Ctx } from "../../../platform/context.ts";
import {
  amrOf,
  authenticators,
  findSignInUser,
  freshProgress,
  type Progress,
  type StepContext,
  withPassed,
} from "../../../signin/authenticators/index.ts";
import { DEFAULT_DIRECT_FLOW, type FlowsSnapshot, walk } from "../../../signin/flows/index.ts";
import { levelOf } from "../../../signin/sessions/index.ts";
import type { TokenEndpointParts } from "../parts.ts";

/** Somebody whose password was right, and what else the request brought. */
interface Direct {
  readonly userId: string;
  readonly login: string;
  readonly totp: string | undefined;
  readonly sourceIp: string;
  /** As they were before the transaction. */
  readonly flows: FlowsSnapshot | null;
}

export type DirectVerdict =
  | { readonly outcome: "passed"; readonly acr: string; readonly amr: readonly string[] }
  | { readonly outcome: "totp-missing" | "totp-wrong" | "no-page" };

/** What a right password answers. */
const BY_PASSWORD = ["username-password", "username", "password"];

/** Goes through the client's flow without a page: in the transaction in which the password was right. */
export async function passDirectly(ctx: Ctx, parts: TokenEndpointParts, client: ClientSnapshot, direct: Direct): Promise<DirectVerdict> {
  const { realm } = parts;
  const flow = direct.flows?.byAlias.get(client.settings.directGrantFlow ?? DEFAULT_DIRECT_FLOW);
  if (!flow) return { outcome: "no-page" };
  const now = clock.now();
  const user = await findSignInUser(ctx.tx, ctx.realm, direct.userId, now);
  let progress: Progress = { ...freshProgress(flow), userId: direct.userId, login: direct.login };
  const contextOf = (path: string, config: StepContext["config"]): StepContext => ({
    ...{ parts: { ...parts, db: ctx.tx }, realm, progress, user, path, config, now },
    visitor: { ...nobodysBrowser, sourceIp: direct.sourceIp, locale: realm.settings.defaultLocale as StepContext["visitor"]["locale"] },
    request: { clientId: client.clientId },
    ...{ interactionId: null, data: null, alert: null, named: null },
  });
  for (;;) {
    const authenticator = (name: string) => (Object.hasOwn(authenticators, name) ? authenticators[name] : undefined);
    const verdict = await walk({ progress, user, now, authenticator, setUp: () => undefined, contextOf }, flow.steps, "");
    if (verdict.status === "passed") {
      const level = levelOf(progress.passed);
      return level === null ? { outcome: "no-page" } : { outcome: "passed", acr: level, amr: amrOf(progress) };
    }
    const ask = verdict.status === "ask" ? verdict.asks.find(({ name }) => name === "totp" || BY_PASSWORD.includes(name)) : undefined;
    if (!ask) return { outcome: "no-page" };
    const step = { path: ask.path, authenticator: ask.name, at: now };
    if (ask.name !== "totp") {
      const factor = ask.question.factor;
      progress = withPassed(progress, { ...step, factor, amr: factor === null ? [] : ["pwd"] }, { userId: direct.userId });
      continue;
    }
    if (direct.totp === undefined) return { outcome: "totp-missing" };
    const answer = await ask.question.answer(contextOf(ask.path, ask.config), { code: direct.totp });
    const proof = answer.outcome === "passed" ? answer.proof : null;
    if (!proof || !((await proof.accept?.(ctx)) ?? true)) return { outcome: "totp-wrong" };
    progress = withPassed(progress, { ...step, factor: proof.factor, amr: proof.amr }, { userId: direct.userId });
  }
}

const nobodysBrowser = { session: null, preSession: "", userAgent: null, deviceToken: null };
