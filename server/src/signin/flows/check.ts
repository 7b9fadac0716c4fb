import { isIP } from "node:net";
import Type from "typebox";
import type { FieldError } from "../../kernel/errors.ts";
import { buildValidator, toFieldErrors } from "../../platform/http/index.ts";
import type { Authenticator } from "../authenticators/index.ts";
import { isSubFlow, type Step, type SubFlow } from "./flow.ts";
import { authenticatorOf, isCondition, isOn, isSilent } from "./position.ts";
import { type Purpose, purposes } from "./purpose.ts";
import type { StepInput } from "./schema.ts";

/** The limit of steps per flow, including nested steps. */
const MAX_STEPS = 100;

const error = (field: string, code: string, message: string): FieldError => ({ field, code, message: `${field}: ${message}` });

/**
 * Returns all errors in the steps of a flow, by field: first each step's members, then their combination, then whether a user can pass, and
 * only with proof.
 */
export function brokenFlowRules(input: readonly StepInput[], purpose: Purpose): FieldError[] {
  const aliases = new Set<string>();
  const errors = everyStep(input, "steps").flatMap(([step, path]) => shapeErrors(step, path, aliases));
  if (everyStep(input, "steps").length > MAX_STEPS)
    errors.push(error("steps", "too_many", `a flow has at most ${MAX_STEPS} steps, those within lists included`));
  if (errors.length > 0) return errors;
  const steps = toSteps(input);
  const misplaced = placementErrors(steps, "steps", null, purpose);
  return misplaced.length > 0 ? misplaced : passageErrors(steps, purpose);
}

/** Returns the stored form of validated steps. */
export const toSteps = (input: readonly StepInput[]): Step[] =>
  input.map(({ authenticator, requirement, config, alias, steps }) =>
    steps === undefined
      ? { authenticator: authenticator!, requirement, config: config ?? {} }
      : { alias: alias!, requirement, steps: toSteps(steps) },
  );

function everyStep(steps: readonly StepInput[], at: string): [StepInput, string][] {
  return steps.flatMap((step, index): [StepInput, string][] => {
    const path = `${at}.${index}`;
    return [[step, path], ...everyStep(step.steps ?? [], `${path}.steps`)];
  });
}

function shapeErrors(step: StepInput, path: string, aliases: Set<string>): FieldError[] {
  const { authenticator, alias, steps, config } = step;
  if (steps === undefined) {
    if (alias !== undefined) return [error(`${path}.alias`, "unknown", "only a list of steps has an alias")];
    if (authenticator === undefined) return [error(`${path}.authenticator`, "required", "say what the step asks, or give it steps")];
    return leafErrors(authenticator, config ?? {}, path);
  }
  if (authenticator !== undefined)
    return [error(`${path}.authenticator`, "unknown", "a step asks something, or is a list of steps; not both")];
  if (config !== undefined) return [error(`${path}.config`, "unknown", "a list of steps has no config")];
  if (alias === undefined) return [error(`${path}.alias`, "required", "a list of steps needs a name")];
  if (aliases.has(alias)) return [error(`${path}.alias`, "duplicate", `“${alias}” is the name of another list in this flow`)];
  aliases.add(alias);
  return [];
}

function leafErrors(name: string, config: Record<string, unknown>, path: string): FieldError[] {
  const authenticator = authenticatorOf(name);
  if (!authenticator)
    return [error(`${path}.authenticator`, "unknown_authenticator", `there is no authenticator “${name}”: GET /authenticators lists them`)];
  const wrong = configErrors(name, authenticator, config).map(({ field, code, message }) => ({
    field: `${path}.${field}`,
    code,
    message: `${path}.${message}`,
  }));
  if (wrong.length > 0 || name !== "condition-network") return wrong;
  return (config.networks as string[]).flatMap((network, index) =>
    isNetwork(network)
      ? []
      : [error(`${path}.config.networks.${index}`, "format", "must be an address or a network, such as 10.0.0.0/8 or 2001:db8::/32")],
  );
}

const validator = buildValidator({});
const compiled = new Map<string, { (data: unknown): boolean; errors?: unknown }>();

function configErrors(name: string, { config: schema }: Authenticator, config: Record<string, unknown>): FieldError[] {
  const validate = compiled.get(name) ?? validator({ schema: Type.Object({ config: schema }), httpPart: "body" });
  compiled.set(name, validate);
  // The validator fills in defaults, which are not stored, so it gets a copy.
  if (validate({ config: structuredClone(config) })) return [];
  return toFieldErrors(validate.errors as Parameters<typeof toFieldErrors>[0], undefined);
}

function isNetwork(text: string): boolean {
  const [address = "", bits, ...rest] = text.split("/");
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
}

/** Checks the combination of the steps of a list. Disabled steps are ignored. */
function placementErrors(steps: readonly Step[], at: string, parent: SubFlow | null, purpose: Purpose): FieldError[] {
  const asked = steps.filter((step) => isOn(step) && !isCondition(step));
  const hasRequired = asked.some(({ requirement }) => requirement === "REQUIRED" || requirement === "CONDITIONAL");
  const errors: FieldError[] = [];
  if (asked.length === 0 && !(parent === null && purposes[purpose].mayAskNothing))
    errors.push(
      error(at, "empty", parent === null ? "every step is disabled: no user could sign in" : "nothing in this list asks anything"),
    );
  if (parent?.requirement === "CONDITIONAL" && !steps.some((step) => isOn(step) && isCondition(step)))
    errors.push(error(at, "no_condition", "a conditional list needs a condition that says when it is asked for"));
  for (const [index, step] of steps.entries()) {
    const path = `${at}.${index}`;
    if (!isOn(step)) continue;
    if (step.requirement === "ALTERNATIVE" && hasRequired && !isCondition(step))
      errors.push(
        error(`${path}.requirement`, "never_asked", "an alternative beside required steps would never be asked: put it into a list"),
      );
    if (isSubFlow(step)) errors.push(...placementErrors(step.steps, `${path}.steps`, step, purpose));
    else errors.push(...leafPlacementErrors(step.authenticator, step, path, parent, purpose));
  }
  return errors;
}

function leafPlacementErrors(name: string, step: Step, path: string, parent: SubFlow | null, purpose: Purpose): FieldError[] {
  const { kind } = authenticatorOf(name)!;
  const { only } = purposes[purpose];
  if (step.requirement === "CONDITIONAL")
    return [
      error(`${path}.requirement`, "conditional", "only a list of steps can be conditional: put the step into one, with its condition"),
    ];
  if (kind === "condition") {
    if (parent?.requirement !== "CONDITIONAL")
      return [error(`${path}.authenticator`, "condition_alone", "a condition stands in a list whose requirement is CONDITIONAL")];
    if (step.requirement !== "REQUIRED")
      return [error(`${path}.requirement`, "condition", "a condition is REQUIRED or DISABLED: all conditions of a list have to hold")];
    return [];
  }
  if (only !== null && !only.includes(name))
    return [error(`${path}.authenticator`, "no_page", `the password grant has no page to ask for ${name}: it can ask ${only.join(", ")}`)];
  if (kind === "silent" && step.requirement !== "ALTERNATIVE")
    return [error(`${path}.requirement`, "silent", `${name} passes or not by itself, and no user can influence it: make it ALTERNATIVE`)];
  return [];
}

/** Facts that hold at this point after every alternative: the user is identified, and authenticated. */
interface Certain {
  readonly named: boolean;
  readonly proven: boolean;
}

function passageErrors(steps: readonly Step[], purpose: Purpose): FieldError[] {
  const { startsNamed, mustProve } = purposes[purpose];
  const errors: FieldError[] = [];
  const end = through(steps, "steps", { named: startsNamed, proven: false }, errors);
  if (errors.length > 0 || !mustProve || end.proven) return errors;
  const where = unproven(steps, "steps", { named: startsNamed, proven: false });
  return [error(where, "no_proof", "a user could pass this way without proving who they are")];
}

function through(steps: readonly Step[], at: string, from: Certain, errors: FieldError[]): Certain {
  const asked = steps.map((step, index) => [step, `${at}.${index}`] as const).filter(([step]) => isOn(step) && !isCondition(step));
  const ways = asked.filter(([step]) => step.requirement === "ALTERNATIVE");
  if (ways.length > 0) {
    if (ways.every(([step]) => isSilent(step)))
      errors.push(error(at, "nobody", "only users who are signed in already could pass this: add a step that asks something"));
    const ends = ways.map(([step, path]) => after(step, path, from, errors));
    return { named: ends.every(({ named }) => named), proven: ends.every(({ proven }) => proven) };
  }
  let now = from;
  for (const [step, path] of asked) {
    const then = after(step, path, now, errors);
    // A conditional step may be skipped.
    if (step.requirement === "REQUIRED") now = then;
  }
  return now;
}

function after(step: Step, path: string, from: Certain, errors: FieldError[]): Certain {
  if (isSubFlow(step)) return through(step.steps, `${path}.steps`, from, errors);
  const authenticator = authenticatorOf(step.authenticator)!;
  if (authenticator.kind !== "question") return { named: true, proven: true };
  if (!authenticator.identifies && !from.named)
    errors.push(
      error(`${path}.authenticator`, "needs_user", `${step.authenticator} needs a known user: ask for the username in a step before it`),
    );
  return { named: true, proven: from.proven || authenticator.factor !== null };
}

/** Returns the path of the innermost alternative that proves nothing. */
function unproven(steps: readonly Step[], at: string, from: Certain): string {
  for (const [index, step] of steps.entries()) {
    if (!isOn(step) || step.requirement !== "ALTERNATIVE") continue;
    const path = `${at}.${index}`;
    if (after(step, path, from, []).proven) continue;
    return isSubFlow(step) ? unproven(step.steps, `${path}.steps`, from) : path;
  }
  return at;
}
