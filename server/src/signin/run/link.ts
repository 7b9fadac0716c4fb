import { clock } from "../../kernel/clock.ts";
import { type Answer, findSignInUser, freshProgress, type PassedStep, type Progress, type SignInParts } from "../authenticators/index.ts";
import type { Ask } from "../flows/index.ts";
import { keepRun } from "./keep.ts";
import type { Run } from "./run.ts";

const FIRST_BROKER_LOGIN = "first-broker-login";

/** Before an identity is linked to an existing user, that user authenticates by the first-broker-login flow. */
export async function askForOwner(parts: SignInParts, run: Run, ask: Ask, answer: Answer & { outcome: "prove" }): Promise<Run> {
  const { userId, login, link, factor, amr, brokered } = answer;
  const { flow, flowVersion, remember } = run.progress;
  const step: PassedStep = { path: ask.path, authenticator: ask.name, factor, amr, at: clock.now() };
  const proving = freshProgress(run.flows!.byAlias.get(FIRST_BROKER_LOGIN)!);
  const progress: Progress = { ...proving, userId, login, remember, brokered, link: { ...link, flow, flowVersion, step, proven: false } };
  return keepRun(parts, { ...run, progress, user: await findSignInUser(parts.db, run.realm.realmId, userId, clock.now()) });
}

/** The owner has authenticated: the original flow continues, with these proofs added. The identity is linked when the sign-in completes. */
export function ownerProven(progress: Progress): Progress {
  const { flow, flowVersion, step } = progress.link!;
  const proofs = progress.passed.map((each) => ({ ...each, path: `link:${each.path}`, flow: each.flow ?? FIRST_BROKER_LOGIN }));
  return { ...progress, flow, flowVersion, passed: [step, ...proofs], chosen: null, data: {}, link: { ...progress.link!, proven: true } };
}
