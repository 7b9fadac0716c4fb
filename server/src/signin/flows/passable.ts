import { secondFactors } from "../sessions/index.ts";
import type { Equipped } from "./equipped.store.ts";
import { isSubFlow, type Step, type SubFlow } from "./flow.ts";
import { authenticatorOf, isCondition, isOn } from "./position.ts";

/**
 * Tells whether a user could pass the steps in a new browser with their present credentials. In doubt they could: messages count as sent,
 * and conditions on anything but credentials as not met.
 */
export const couldPass = (steps: readonly Step[], who: Equipped): boolean => through(steps, who, false) !== null;

/** Tells whether something is proven after the steps. Returns null if they cannot be passed. */
function through(steps: readonly Step[], who: Equipped, proven: boolean): boolean | null {
  const needed = steps.filter((step) => (step.requirement === "REQUIRED" && !isCondition(step)) || surelyApplies(step, who));
  if (needed.length > 0) return needed.reduce<boolean | null>((now, step) => (now === null ? null : past(step, who, now)), proven);
  const ways = steps.filter(({ requirement }) => requirement === "ALTERNATIVE");
  if (ways.length === 0) return proven;
  const ends = ways.map((step) => past(step, who, proven)).filter((end) => end !== null);
  return ends.length === 0 ? null : ends.some(Boolean);
}

function past(step: Step, who: Equipped, proven: boolean): boolean | null {
  if (isSubFlow(step)) return through(step.steps, who, proven);
  const { authenticator: name, config } = step;
  if (!canAnswer(name, config, who, proven)) return null;
  const authenticator = authenticatorOf(name);
  return proven || (authenticator?.kind === "question" && authenticator.factor !== null);
}

function canAnswer(
  name: string,
  config: Readonly<Record<string, unknown>>,
  { user, usable, isLinked }: Equipped,
  proven: boolean,
): boolean {
  const has = (type: string) => usable.has(type);
  switch (name) {
    case "cookie":
      return false;
    case "identity-provider":
      return isLinked;
    case "username-password":
    case "password":
      return has("password");
    case "totp":
    case "passkey":
      return has(name) || (proven && config.setUp !== false && !user.credentials.has(name) && maySetUp(user, usable));
    case "recovery-code":
      return has(name);
    case "push":
      return proven && has(name);
    case "qr":
      return has("push");
    case "email-otp":
    case "magic-link":
      return user.email !== null;
    case "sms-otp":
      return user.attributes.phoneNumber !== undefined;
    default:
      return true;
  }
}

/** Tells whether the user may set up a second factor: a user who has one must give it first, and the owner of a disabled passkey cannot. */
function maySetUp({ credentials }: Equipped["user"], usable: Equipped["usable"]): boolean {
  const owned = secondFactors.filter((type) => credentials.has(type));
  return owned.length === 0 || owned.some((type) => usable.has(type));
}

const surelyApplies = (step: Step, who: Equipped): step is SubFlow =>
  isSubFlow(step) &&
  step.requirement === "CONDITIONAL" &&
  step.steps.filter((each) => isOn(each) && isCondition(each)).every((each) => surelyHolds(each, who));

function surelyHolds(step: Step, { user }: Equipped): boolean {
  if (isSubFlow(step)) return false;
  const isNegated = step.config.negate === true;
  if (step.authenticator === "condition-unknown-device") return !isNegated;
  if (step.authenticator !== "condition-credential") return false;
  return (step.config.types as string[]).some((type) => user.credentials.has(type)) !== isNegated;
}
