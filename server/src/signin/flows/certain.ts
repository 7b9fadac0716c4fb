import { authenticators } from "../authenticators/index.ts";
import { type Factor, levelOf } from "../sessions/index.ts";
import { isSubFlow, type Step } from "./flow.ts";

type Kind = Exclude<Factor, "both">;

/** The level that is reached whichever of these ways is taken; a session is no way of its own. */
export function certainLevel(ways: readonly Step[]): number {
  const levels = ways.filter((way) => !isSilent(way)).map((way) => Number(levelOf([...kindsOf(way)].map((factor) => ({ factor }))) ?? 0));
  return levels.length === 0 ? 0 : Math.min(...levels);
}

const authenticatorOf = (name: string) => (Object.hasOwn(authenticators, name) ? authenticators[name] : undefined);

const isSilent = (step: Step): boolean => !isSubFlow(step) && authenticatorOf(step.authenticator)?.kind === "silent";

/** What a user who has passed the step has proven for certain. */
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
