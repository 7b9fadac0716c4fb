import { type Flow, isSubFlow, type Step } from "./flow.ts";
import { isSignInFlow } from "./purpose.ts";

/**
 * The flow of a realm with the setting `identifierFirst`: where it asks for name and password on one page, it asks for the name first. It counts as
 * another version of the flow, so that sign-ins that began before the setting was changed begin again.
 */
export const identifierFirst = (flow: Flow): Flow =>
  isSignInFlow(flow.alias) && asksTogether(flow.steps) ? { ...flow, steps: flow.steps.map(apart), version: -1 - flow.version } : flow;

const TOGETHER = "username-password";

const asksTogether = (steps: readonly Step[]): boolean =>
  steps.some((step) => (isSubFlow(step) ? asksTogether(step.steps) : step.authenticator === TOGETHER));

function apart(step: Step): Step {
  if (isSubFlow(step)) return { ...step, steps: step.steps.map(apart) };
  if (step.authenticator !== TOGETHER) return step;
  const { requirement, config } = step;
  return {
    alias: "identifier-first",
    requirement,
    steps: ["username", "password"].map((authenticator) => ({ authenticator, requirement: "REQUIRED", config })),
  };
}
