import { sql } from "kysely";
import { createRealmCache, type RealmCache, type RealmChanges } from "../../platform/cache/index.ts";
import { type Db, prepared } from "../../platform/db/index.ts";
import { secondFactors } from "../sessions/index.ts";
import { builtInFlows } from "./built-in.ts";
import { type AuthenticatorStep, authenticatorSteps, type Flow, isSubFlow, mapSteps, type Step } from "./flow.ts";
import { authenticatorOf, isOn } from "./position.ts";
import { isSignInFlow, STEP_UP } from "./purpose.ts";

/** An immutable snapshot of a realm's flows: the built-in ones with the realm's changes, and custom ones. */
export interface FlowsSnapshot {
  readonly configVersion: number;
  readonly byAlias: ReadonlyMap<string, Flow>;
  /** The second factors that `step-up` or a sign-in flow asks for, including the flows of clients, by credential type. */
  readonly secondFactors: ReadonlySet<string>;
  /** A flow that asks for any of these, or for a recovery code if a flow does. */
  readonly bySecondFactor: Flow;
}

export type Flows = RealmCache<FlowsSnapshot>;

export const createFlows = ({ db, changes }: { readonly db: Db; readonly changes: RealmChanges }): Flows =>
  createRealmCache(changes, (realm) => loadFlows(db, realm));

/** Returns the second factors that a realm asks for. */
export const askedSecondFactors = async (flows: Flows, realm: string): Promise<ReadonlySet<string>> =>
  (await flows.get(realm))?.secondFactors ?? new Set(secondFactors);

interface Row {
  config_version: number;
  identifier_first: boolean;
  alias: string | null;
  display_name: string;
  steps: readonly Step[];
  version: number;
}

const load = prepared(
  ({ realm }: { realm: string }) =>
    sql<Row>`
    select coalesce((select v.version from realm_versions v where v.realm_id = r.realm_id), 0)::bigint as config_version,
      exists (select 1 from realm_settings s
        where s.realm_id = r.realm_id and s.settings ->> 'identifierFirst' = 'true') as identifier_first,
      f.alias, f.display_name, f.steps, f.version
    from realms r left join flows f on f.realm_id = r.realm_id
    where r.realm_id = ${realm} and r.deleted_at is null`,
);

async function loadFlows(db: Db, realm: string): Promise<FlowsSnapshot | null> {
  const rows = await load(db, { realm });
  const [first] = rows;
  if (!first) return null;
  const byAlias = new Map(builtInFlows.map((flow): [string, Flow] => [flow.alias, { ...flow, steps: mapSteps(flow.steps, complete) }]));
  for (const { alias, display_name: displayName, steps, version } of rows)
    if (alias !== null)
      byAlias.set(alias, { alias, displayName, steps: mapSteps(steps, complete), version, builtIn: byAlias.get(alias)?.builtIn ?? false });
  if (first.identifier_first) for (const [alias, flow] of byAlias) byAlias.set(alias, identifierFirst(flow));
  const asking = [...byAlias.values()].filter(({ alias }) => alias === STEP_UP || isSignInFlow(alias));
  const asked = new Set(asking.flatMap(({ steps }) => askedIn(steps)));
  return {
    ...{ configVersion: first.config_version, byAlias },
    secondFactors: new Set(secondFactors.filter((name) => asked.has(name))),
    bySecondFactor: flowAsking(asked),
  };
}

/** Returns a flow that asks for these authenticators. The paths of its steps do not depend on them. */
const flowAsking = (asked: ReadonlySet<string>): Flow => ({
  ...{ alias: STEP_UP, displayName: STEP_UP, builtIn: true, version: 0 },
  steps: [...secondFactors, "recovery-code"].map((authenticator) =>
    complete({ authenticator, requirement: asked.has(authenticator) ? "ALTERNATIVE" : "DISABLED", config: {} }),
  ),
});

/** Returns the authenticators of the steps that are not disabled. */
const askedIn = (steps: readonly Step[]): string[] =>
  steps.filter(isOn).flatMap((step) => (isSubFlow(step) ? askedIn(step.steps) : [step.authenticator]));

/** Adds the defaults of the authenticator's config. */
function complete(step: AuthenticatorStep): AuthenticatorStep {
  const schema = authenticatorOf(step.authenticator)?.config;
  const defaults = Object.entries(schema?.properties ?? {}).flatMap(([name, member]) =>
    "default" in member ? [[name, member.default]] : [],
  );
  return { ...step, config: { ...Object.fromEntries(defaults), ...step.config } };
}

/**
 * Returns the flow of a realm with the setting `identifierFirst`: a step for name and password on one page becomes two, the name first. It
 * has another version, so that sign-ins that began before a change of the setting begin again.
 */
export const identifierFirst = (flow: Flow): Flow =>
  isSignInFlow(flow.alias) && asksTogether(flow.steps) ? { ...flow, steps: mapSteps(flow.steps, apart), version: -1 - flow.version } : flow;

const TOGETHER = "username-password";

const asksTogether = (steps: readonly Step[]): boolean => authenticatorSteps(steps).some(({ authenticator }) => authenticator === TOGETHER);

function apart(step: AuthenticatorStep): Step {
  if (step.authenticator !== TOGETHER) return step;
  const { requirement, config } = step;
  return {
    alias: "identifier-first",
    requirement,
    steps: ["username", "password"].map((authenticator) => ({ authenticator, requirement: "REQUIRED", config })),
  };
}
