import { clock } from "../../kernel/clock.ts";
import { sha256 } from "../../kernel/vault.ts";
import {
  type Answer,
  findSignInUser,
  freshProgress,
  isProven,
  newAccount,
  type PassedStep,
  type Progress,
  type SignInParts,
} from "../authenticators/index.ts";
import { type Ask, chosenFirst, type Verdict } from "../flows/index.ts";
import { keepRun } from "./keep.ts";
import type { Run } from "./run.ts";

const FIRST_BROKER_LOGIN = "first-broker-login";

/** Asks an existing user to authenticate by the first-broker-login flow before an identity is linked to them. */
export async function askForOwner(parts: SignInParts, run: Run, ask: Ask, answer: Answer & { outcome: "prove" }): Promise<Run> {
  const { userId, login, link, factor, amr, brokered } = answer;
  const { flow, flowVersion, remember } = run.progress;
  const step: PassedStep = { path: ask.path, authenticator: ask.name, factor, amr, at: clock.now() };
  const proving = freshProgress(run.flows!.byAlias.get(FIRST_BROKER_LOGIN)!);
  const progress: Progress = {
    ...proving,
    userId,
    login,
    remember,
    brokered,
    link: { ...link, flow, flowVersion, step, proven: false, brokered },
  };
  return keepRun(parts, { ...run, progress, user: await findSignInUser(parts.db, run.realm.realmId, userId, clock.now()) });
}

/** Returns the prefix of the steps' paths, so that a page or a code for one account at a provider does not count for another. */
export const linkPrefix = ({ link }: Progress): string =>
  link?.proven === false ? `link@${sha256(`${link.providerId} ${link.subject}`).slice(0, 16)}:` : "";

/** Offers a new account as an alternative to the proof, until something is proven. */
export function orNewAccount({ progress }: Run, verdict: Verdict): Verdict {
  const { link, chosen } = progress;
  if (link?.proven !== false || !link.mayCreate || isProven(progress)) return verdict;
  if (verdict.status !== "ask" && verdict.status !== "impossible") return verdict;
  const other: Ask = { path: `${linkPrefix(progress)}new`, name: "NEW_ACCOUNT", question: newAccount, config: {} };
  return { status: "ask", asks: chosenFirst([...(verdict.status === "ask" ? verdict.asks : []), other], chosen) };
}

/** Continues the original flow from the step that led to the provider, because the owner is not asked any more. */
export function withoutOwner(run: Run, ask: Ask): { readonly run: Run; readonly ask: Ask } {
  const { link, remember } = run.progress;
  const { flow: alias, flowVersion: version, step } = link!;
  const progress = { ...freshProgress({ alias, version }), remember };
  return { run: { ...run, progress, user: null }, ask: { ...ask, path: step.path, name: step.authenticator } };
}

/** Continues the original flow after the owner has authenticated, with these proofs added. The identity is linked at the end. */
export function ownerProven(progress: Progress): Progress {
  const { flow, flowVersion, step } = progress.link!;
  const proofs = progress.passed.map((each) => ({ ...each, path: `link:${each.path}`, flow: each.flow ?? FIRST_BROKER_LOGIN }));
  return { ...progress, flow, flowVersion, passed: [step, ...proofs], chosen: null, data: {}, link: { ...progress.link!, proven: true } };
}
