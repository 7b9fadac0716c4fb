import { isTrue, numberOf, recordOf, recordsOf, slugOf, textOf, type Values } from "../../reading.ts";
import type { Known } from "../../report.ts";
import type { KeycloakRealm } from "./export.ts";

const STEPS: Readonly<Record<string, string>> = {
  "auth-cookie": "cookie",
  "auth-username-password-form": "username-password",
  "auth-username-form": "username",
  "auth-password-form": "password",
  "auth-otp-form": "totp",
  "webauthn-authenticator": "passkey",
  "webauthn-authenticator-passwordless": "passkey",
  "identity-provider-redirector": "identity-provider",
  "auth-recovery-authn-code-form": "recovery-code",
};
const CREDENTIALS: Readonly<Record<string, string>> = {
  totp: "totp",
  passkey: "passkey",
  "recovery-code": "recovery-code",
  password: "password",
};
const OURS = ["browser", "passwordless", "step-up", "first-broker-login", "reset-credentials", "registration", "direct-grant"];
/** Other bindings of flows, with their usual flow. Here they are settings, or flows of their own. */
const OTHER_BINDINGS: Readonly<Record<string, string>> = {
  ...{ registrationFlow: "registration", directGrantFlow: "direct grant", resetCredentialsFlow: "reset credentials" },
  ...{ clientAuthenticationFlow: "clients", dockerAuthenticationFlow: "docker auth", firstBrokerLoginFlow: "first broker login" },
};

const EXECUTIONS = "authenticationFlows[].authenticationExecutions[]";
const executionMembers = {
  mapped: ["authenticator", "authenticatorConfig", "authenticatorFlow", "autheticatorFlow", "flowAlias", "requirement", "priority"],
  ignored: ["id", "userSetupAllowed"],
};
const conditionConfig = {
  mapped: ["negate", "condUserRole", "attribute_name", "attribute_expected_value", "not", "regex", "loa-condition-level"],
};

interface Step {
  readonly authenticator?: string;
  readonly requirement: string;
  readonly config?: Record<string, unknown>;
  readonly alias?: string;
  readonly steps?: Step[];
}

/** Thrown for a flow that would ask for less here than in Keycloak: it is not carried over at all. */
class Untranslatable extends Error {
  readonly authenticator: string;

  constructor(authenticator: string) {
    super(authenticator);
    this.authenticator = authenticator;
  }
}

const isCondition = (name: string) => name.startsWith("conditional-");
const isSubFlow = (execution: Values) => isTrue(execution.authenticatorFlow ?? execution.autheticatorFlow);

class Flows {
  readonly #realm: KeycloakRealm;
  readonly #byAlias: ReadonlyMap<string, Values>;
  readonly #configs: ReadonlyMap<string, Values>;
  readonly #aliases = new Set<string>();

  constructor(realm: KeycloakRealm) {
    this.#realm = realm;
    this.#byAlias = new Map(recordsOf(realm.value.authenticationFlows).map((flow) => [String(flow.alias), flow]));
    this.#configs = new Map(recordsOf(realm.value.authenticatorConfig).map(({ alias, config }) => [String(alias), recordOf(config)]));
  }

  executionsOf(alias: unknown): Values[] {
    return recordsOf(this.#byAlias.get(String(alias))?.authenticationExecutions)
      .filter(({ requirement }) => requirement !== "DISABLED")
      .sort((one, other) => (numberOf(one.priority) ?? 0) - (numberOf(other.priority) ?? 0));
  }

  stepsOf(alias: unknown, at: string, depth = 1): Step[] {
    if (depth > 5) throw new Untranslatable("lists within lists, deeper than 5");
    if (depth === 1) this.#aliases.clear();
    const executions = this.executionsOf(alias);
    const steps = executions.flatMap((execution) => this.#stepOf(execution, executions, at, depth) ?? []);
    const isRequired = ({ requirement, authenticator = "" }: Step) =>
      (requirement === "REQUIRED" || requirement === "CONDITIONAL") && !authenticator.startsWith("condition-");
    // In Keycloak, alternatives beside required steps do not count either.
    return steps.some(isRequired) ? steps.filter(({ requirement }) => requirement !== "ALTERNATIVE") : steps;
  }

  #stepOf(execution: Values, siblings: readonly Values[], at: string, depth: number): Step | null {
    this.#realm.report.members(EXECUTIONS, at, execution, executionMembers);
    const requirement = execution.requirement === "OPTIONAL" ? "REQUIRED" : String(execution.requirement);
    if (isSubFlow(execution)) return this.#listOf(execution, requirement, at, depth);
    const name = textOf(execution.authenticator) ?? "";
    if (isCondition(name)) return this.#conditionOf(name, execution, siblings, at);
    const authenticator = Object.hasOwn(STEPS, name) ? STEPS[name]! : undefined;
    if (authenticator !== undefined) {
      this.#realm.report.mapped(`authenticationFlows[].authenticationExecutions[${name}]`);
      // Steps have no configuration here: the realm decides which provider comes first.
      this.#configured(name, execution, at, { mapped: [] });
      return {
        authenticator,
        requirement: authenticator === "cookie" || authenticator === "identity-provider" ? "ALTERNATIVE" : requirement,
      };
    }
    // A flow is not weaker without an alternative, but it would be without a required step.
    if (requirement !== "ALTERNATIVE") throw new Untranslatable(name);
    this.#realm.report.unmapped(
      `authenticationFlows[].authenticationExecutions[${name}]`,
      "There is no such authenticator here: this way to sign in is left out",
      at,
    );
    return null;
  }

  #configured(name: string, { authenticatorConfig }: Values, at: string, known: Known): Values {
    const config = this.#configs.get(String(authenticatorConfig)) ?? {};
    this.#realm.report.members(`authenticationFlows[].authenticationExecutions[${name}].config`, at, config, known);
    return config;
  }

  #listOf(execution: Values, requirement: string, at: string, depth: number): Step | null {
    const steps = this.stepsOf(execution.flowAlias, at, depth + 1);
    const asks = steps.filter(({ authenticator = "" }) => !authenticator.startsWith("condition-"));
    if (asks.length === 0) {
      if (requirement === "REQUIRED") throw new Untranslatable(String(execution.flowAlias));
      return null;
    }
    // If no condition can be carried over, the steps are always required, so that the flow never asks for less than in Keycloak.
    const hasCondition = asks.length < steps.length;
    return {
      alias: this.#aliasOf(String(execution.flowAlias)),
      requirement: requirement === "CONDITIONAL" && !hasCondition ? "REQUIRED" : requirement,
      steps: requirement === "CONDITIONAL" ? steps : asks,
    };
  }

  /** Translates a condition. One without a counterpart is left out: the others hold more often, so the flow asks for more. */
  #conditionOf(name: string, execution: Values, siblings: readonly Values[], at: string): Step | null {
    const config = this.#configured(name, execution, at, conditionConfig);
    const negate = isTrue(config.negate) ? { negate: true } : {};
    const made = (authenticator: string, settings: Record<string, unknown>): Step => {
      this.#realm.report.mapped(`authenticationFlows[].authenticationExecutions[${name}]`);
      return { authenticator, requirement: "REQUIRED", config: settings };
    };
    if (name === "conditional-user-configured") {
      const types = siblings.flatMap(({ authenticator }) => CREDENTIALS[STEPS[String(authenticator)] ?? ""] ?? []);
      if (types.length > 0) return made("condition-credential", { types: [...new Set(types)] });
    }
    if (name === "conditional-credential") return made("condition-single-factor", {});
    const role = textOf(config.condUserRole);
    if (name === "conditional-user-role" && role !== undefined && this.#realm.isRealmRole(role))
      return made("condition-role", { roles: [this.#realm.roleName(role)], ...negate });
    const attribute = textOf(config.attribute_name);
    if (name === "conditional-user-attribute" && attribute !== undefined && !isTrue(config.regex))
      return made("condition-attribute", {
        name: attribute,
        value: textOf(config.attribute_expected_value) ?? "",
        ...(isTrue(config.not) && { negate: true }),
      });
    const level = numberOf(config["loa-condition-level"]);
    if (name === "conditional-level-of-authentication" && (level === 1 || level === 2))
      return made("condition-acr", { acr: String(level) });
    this.#realm.report.unmapped(
      `authenticationFlows[].authenticationExecutions[${name}]`,
      "There is no such condition here: what it stood for is asked for more often",
      at,
    );
    return null;
  }

  #aliasOf(alias: string): string {
    const slug = slugOf(alias, 55);
    let name = slug;
    for (let count = 2; this.#aliases.has(name); count++) name = `${slug}-${count}`;
    this.#aliases.add(name);
    return name;
  }
}

/** Translates the realm's own flows, and the flow by which browsers sign in. */
export function flowsOf(realm: KeycloakRealm): object[] {
  const { value, report } = realm;
  const flows = new Flows(realm);
  const bound = textOf(value.browserFlow) ?? "browser";
  const found: object[] = [];
  for (const flow of recordsOf(value.authenticationFlows)) {
    const alias = textOf(flow.alias) ?? "";
    const isBound = alias === bound;
    const isOwn = isTrue(flow.topLevel) && !isTrue(flow.builtIn) && flow.providerId !== "client-flow";
    // Keycloak's built-in flow asks for a second factor if the user has one, as ours does, unless the realm has made it required.
    if (isBound && isTrue(flow.builtIn) && !asksAlways(flows, alias)) {
      report.ignored("authenticationFlows[].builtIn");
      realm.flows.set(String(flow.id), "browser");
      continue;
    }
    if (!isOwn && !isBound) {
      if (isTrue(flow.topLevel)) report.ignored("authenticationFlows[].builtIn");
      continue;
    }
    const at = `authenticationFlows[${alias}]`;
    const slug = slugOf(alias);
    const name = isBound ? "browser" : OURS.includes(slug) ? slugOf(`keycloak-${slug}`) : slug;
    try {
      const steps = flows.stepsOf(alias, at);
      if (steps.length === 0) throw new Untranslatable("a flow without steps");
      found.push({ alias: name, displayName: alias.slice(0, 255), steps });
      realm.flows.set(String(flow.id), name);
      report.mapped("authenticationFlows[]");
    } catch (error) {
      if (!(error instanceof Untranslatable)) throw error;
      report.unmapped("authenticationFlows[]", `There is nothing here for ${error.authenticator}, which it requires`, at);
      if (isBound)
        report.choice(
          "The flow that browsers sign in by could not be carried over: the realm keeps its flow `browser`, which may ask for less. Look at it before users sign in",
        );
    }
  }
  for (const [binding, usual] of Object.entries(OTHER_BINDINGS)) {
    const alias = textOf(value[binding]);
    if (alias === undefined || alias === usual) report.ignored(binding);
    else
      report.unmapped(
        binding,
        "Only flows of browsers are carried over: look at the flow or the settings that do this here",
        `${binding}[${alias}]`,
      );
  }
  return found;
}

/** Tells whether a second factor is required of everybody. */
function asksAlways(flows: Flows, alias: unknown, depth = 1): boolean {
  if (depth > 5) return false;
  return flows.executionsOf(alias).some((execution) => {
    if (isSubFlow(execution))
      return (
        (execution.requirement === "REQUIRED" || (depth === 1 && execution.requirement === "ALTERNATIVE")) &&
        asksAlways(flows, execution.flowAlias, depth + 1)
      );
    return execution.requirement === "REQUIRED" && ["auth-otp-form", "webauthn-authenticator"].includes(String(execution.authenticator));
  });
}
