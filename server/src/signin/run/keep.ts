import { holdUserForSignIn } from "../../directory/users/index.ts";
import type { Ctx } from "../../platform/context.ts";
import type { Answer, SignInParts } from "../authenticators/index.ts";
import type { Ask } from "../flows/index.ts";
import { completeInteraction, type Interaction, LINK_KIND, saveInteractionState, startInteraction } from "./interactions.store.ts";
import { contextOf, type Outcome, originOf, type Run, restarted } from "./run.ts";

/** Stores the progress. The first step that needs a row creates it. */
export async function keep(ctx: Ctx, run: Run): Promise<Run> {
  const { progress, visitor, returnTo, request, interaction } = run;
  const state = { ...progress };
  if (interaction) {
    await saveInteractionState(ctx, interaction, state);
    return { ...run, interaction: { ...interaction, state, version: interaction.version + 1 } };
  }
  const row = { kind: "login", browser: visitor.preSession, request: { ...request }, state, returnTo };
  const interactionId = await startInteraction(ctx, row);
  return { ...run, interaction: { ...row, interactionId, result: null, version: 1 } };
}

export const keepRun = (parts: SignInParts, run: Run): Promise<Run> => parts.work.transact(originOf(run), (ctx) => keep(ctx, run));

const keepData = (ctx: Ctx, run: Run, { path }: Ask, data: Readonly<Record<string, unknown>>): Promise<Run> =>
  keep(ctx, { ...run, progress: { ...run.progress, data: { ...run.progress.data, [path]: data } } });

/** Prepares a step once (a challenge, a code to send) and stores the result before its page is shown. */
export async function beginStep(parts: SignInParts, run: Run, ask: Ask): Promise<Run> {
  if (!ask.question.begin || run.progress.data[ask.path]) return run;
  const { data, commit } = await ask.question.begin(contextOf(parts, run, ask));
  return parts.work.transact(originOf(run), async (ctx) => keepData(ctx, run, ask, (await commit?.(ctx)) ?? data));
}

const REQUESTED: readonly string[] = ["oidc", "saml", LINK_KIND];

/** Tells whether a client waits for the result and can get an error. */
export const isRequested = (interaction: Interaction | null): boolean => interaction !== null && REQUESTED.includes(interaction.kind);

/** Ends the sign-in with an error for the client. Returns where the browser continues. */
export async function giveUp(parts: SignInParts, run: Run, isUnmet: boolean): Promise<string> {
  const interaction = run.interaction!;
  const error = isUnmet ? "unmet_authentication_requirements" : "access_denied";
  await parts.work.transact(originOf(run), (ctx) => completeInteraction(ctx, interaction, { error }));
  return interaction.returnTo;
}

/** Declines for the user: the client gets an error. Without a client the sign-in restarts. */
export async function decline(parts: SignInParts, run: Run): Promise<Outcome<never>> {
  const declined = { outcome: "refuse", run, reason: "declined" } as const;
  if (isRequested(run.interaction)) return { ...declined, returnTo: await giveUp(parts, run, false) };
  await keepRun(parts, restarted(run));
  return { ...declined, returnTo: null };
}

/** Locks the user until commit. An administrator who disables them waits, then finds and ends the new session. */
export const hold = (ctx: Ctx, userId: string | null, toWrite = false) =>
  userId === null ? null : holdUserForSignIn(ctx.tx, ctx.realm, userId, { toWrite });

/** Stores the data of a step that is asked again. */
export async function keepAnswer(
  parts: SignInParts,
  run: Run,
  ask: Ask,
  { data, commit, writesUser }: Answer & { outcome: "again" },
): Promise<Run> {
  if (data === undefined && !commit) return run;
  return parts.work.transact(originOf(run), async (ctx) => {
    if (writesUser && !(await hold(ctx, run.progress.userId, true))) return run;
    return keepData(ctx, run, ask, (await commit?.(ctx)) ?? data ?? run.progress.data[ask.path] ?? {});
  });
}
