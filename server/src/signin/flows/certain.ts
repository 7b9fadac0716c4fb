import { type Authenticator, authenticators } from "../authenticators/index.ts";
import { type Factor, levelOf } from "../sessions/index.ts";
import { isSubFlow, type Step } from "./flow.ts";

type Kind = Exclude<Factor, "both">;

/** The lowest level of these alternatives; silent steps (the session) do not count. */
export function certainLevel(ways: readonly Step[]): number {
  const levels = ways.filter((way) => !isSilent(way)).map((way) => Number(levelOf([...kindsOf(way)].map((factor) => ({ factor }))) ?? 0));
  return levels.length === 0 ? 0 : Math.min(...levels);
}

export const authenticatorOf = (name: string): Authenticator | undefined =>
  Object.hasOwn(authenticators, name) ? authenticators[name] : undefined;

const isSilent = (step: Step): boolean => !isSubFlow(step) && authenticatorOf(step.authenticator)?.kind === "silent";

/** The factors that every path through the step proves. */
function kindsOf(step: Step): Set<Kind> {
  if (!isSubFlow(step)) {
    const authenticator = authenticatorOf(step.authenticator);
    const factor = authenticator?.kind === "question" ? authenticator.factor : null;
    return new Set(factor === "both" ? ["knowledge", "possession"] : factor === null ? [] : [factor]);
  }
  const required = step.steps.filter(({ requirement }) => requirement === "REQUIRED");
  if (required.length > 0) return new Set(required.flatMap((each) => [...kindsOf(each)]));
  const ways = step.steps.filter((each) => each.requirement === "ALTERNATIVE" && !isSilent(each)).map(kindsOf);
  return new Set([...(ways[0] ?? [])].filter((kind) => ways.every((way) => way.has(kind))));
}
