import { keepAttributesApart } from "../../applications/attribute-uses/index.ts";
import { clientsUsingFlow, renameFlowOfClients } from "../../applications/clients/index.ts";
import { renameFlowOfSamlClients, samlClientsUsingFlow } from "../../applications/saml-clients/index.ts";
import { type FieldError, invalidFields } from "../../kernel/errors.ts";
import { LISTING } from "../../kernel/lists.ts";
import { type Ctx, type DomainEvents, type ReadCtx, recordConfigChange } from "../../platform/context.ts";
import { lockRealm } from "../../platform/db/index.ts";
import { refuseReadOnly } from "../../platform/full-state.ts";
import { type ListQuery, type Page, pageInMemory, type ShortList } from "../../platform/paging/index.ts";
import { expectVersion } from "../../platform/versions.ts";
import { authenticators } from "../authenticators/index.ts";
import { builtInFlows } from "./built-in.ts";
import { brokenFlowRules, toSteps } from "./check.ts";
import { equippedAdministrators } from "./equipped.store.ts";
import { flowErrors, inUse } from "./errors.ts";
import { authenticatorSteps, type Flow, type Step } from "./flow.ts";
import { couldPass } from "./passable.ts";
import { type Purpose, purposeOf } from "./purpose.ts";
import { checkConditions } from "./references.ts";
import type { AuthenticatorInfo, CreateFlow, Flow as FlowRecord, StepInput, UpdateFlow } from "./schema.ts";
import { countFlows, deleteFlow, findFlow, insertFlow, renameFlowRow, type StoredFlow, storedFlows, updateFlow } from "./store.ts";

export const BROWSER_FLOW = "browser";

/** The limit of custom flows per realm. */
const MAX_FLOWS = 100;
type VersionedFlow = FlowRecord & { readonly version: number };

const builtIn = (alias: string): Flow | undefined => builtInFlows.find((flow) => flow.alias === alias);

const shown = ({ alias, displayName, steps, version }: StoredFlow): VersionedFlow => ({
  alias,
  displayName,
  builtIn: builtIn(alias) !== undefined,
  steps: steps as FlowRecord["steps"],
  version,
});

const flowList: ShortList<VersionedFlow> = {
  sorts: { alias: ({ alias }) => alias },
  names: ({ alias, displayName }) => [alias, displayName],
};

/** Lists the built-in flows, as the realm has them, and its own. */
export async function searchFlows(ctx: ReadCtx, query: ListQuery): Promise<Page<VersionedFlow>> {
  const stored = await storedFlows(ctx.tx, ctx.realm);
  const own = new Set(stored.map(({ alias }) => alias));
  const all = [...stored, ...builtInFlows.filter(({ alias }) => !own.has(alias))].map(shown);
  return pageInMemory(all, flowList, { sort: "alias", ...query });
}

export async function readFlow(ctx: ReadCtx, alias: string): Promise<VersionedFlow> {
  const flow = (await findFlow(ctx.tx, ctx.realm, alias)) ?? builtIn(alias);
  if (!flow) throw flowErrors.not_found();
  return shown(flow);
}

/** Returns the steps of an existing flow, as the realm has it. */
export const stepsOf = async (ctx: ReadCtx, alias: string): Promise<readonly Step[]> =>
  ((await findFlow(ctx.tx, ctx.realm, alias)) ?? builtIn(alias))!.steps;

/** Locks a flow for a change. An unchanged built-in flow has no row, so the realm is locked. */
async function takeFlow(ctx: Ctx, alias: string): Promise<{ readonly flow: StoredFlow; readonly isStored: boolean }> {
  await lockRealm(ctx.tx, ctx.realm);
  const stored = await findFlow(ctx.tx, ctx.realm, alias, "change");
  const flow = stored ?? builtIn(alias);
  if (!flow) throw flowErrors.not_found();
  return { flow, isStored: stored !== null };
}

export async function createFlow(ctx: Ctx, input: CreateFlow): Promise<VersionedFlow> {
  const { alias, copyFrom, displayName = alias } = input;
  if ((input.steps === undefined) === (copyFrom === undefined))
    throw invalidFields([{ field: "steps", code: "required", message: "steps or copyFrom is required" }]);
  const source = copyFrom === undefined ? null : ((await findFlow(ctx.tx, ctx.realm, copyFrom)) ?? builtIn(copyFrom));
  if (source === undefined)
    throw invalidFields([{ field: "copyFrom", code: "unknown_flow", message: `copyFrom: there is no flow “${copyFrom}” in this realm` }]);
  const steps = checkedSteps(source ? (source.steps as readonly StepInput[]) : input.steps!, "sign-in");
  await lockRealm(ctx.tx, ctx.realm);
  if (builtIn(alias)) throw flowErrors.alias_taken();
  if ((await countFlows(ctx.tx, ctx.realm)) >= MAX_FLOWS + builtInFlows.length) throw flowErrors.too_many();
  await checkConditions(ctx, steps, source?.steps ?? []);
  const flow = await insertFlow(ctx.tx, ctx.realm, alias, { displayName, steps }, ctx.now);
  await keepConditionsApart(ctx, steps);
  await recordConfigChange(ctx, "ADMIN_CREATE", "flows", alias);
  return shown(flow);
}

/** Saves a flow. For a built-in flow this stores the realm's version of it. */
export async function saveFlow(ctx: Ctx, alias: string, input: UpdateFlow): Promise<VersionedFlow> {
  const state = { displayName: input.displayName ?? alias, steps: checkedSteps(input.steps, purposeOf(alias)) };
  const { flow: current, isStored } = await takeFlow(ctx, alias);
  refuseReadOnly(shown(current), input, ["alias", "builtIn"]);
  expectVersion(ctx, current.version);
  if (alias === BROWSER_FLOW) await keepAdministratorsIn(ctx, current.steps, state.steps);
  await checkConditions(ctx, state.steps, current.steps);
  const write = isStored ? updateFlow : insertFlow;
  const flow = await write(ctx.tx, ctx.realm, alias, state, ctx.now);
  await keepConditionsApart(ctx, state.steps);
  await recordConfigChange(ctx, "ADMIN_UPDATE", "flows", alias);
  return shown(flow);
}

/**
 * Refuses steps that shut out every administrator who could sign in before. Other realms' administrators and commands can undo such a
 * change, so they may make it.
 */
async function keepAdministratorsIn(ctx: Ctx, before: readonly Step[], after: readonly Step[]): Promise<void> {
  if (ctx.actor.kind === "system" || ctx.actor.realm !== ctx.realm) return;
  const all = await equippedAdministrators(ctx.tx, ctx.realm, ctx.now);
  if (all.some((who) => couldPass(before, who)) && !all.some((who) => couldPass(after, who))) throw flowErrors.shuts_out();
}

async function keepConditionsApart(ctx: Ctx, steps: readonly Step[]): Promise<void> {
  if (authenticatorSteps(steps).some(({ authenticator }) => authenticator === "condition-attribute"))
    await keepAttributesApart(ctx, "steps");
}

/** Renames a flow, and updates the clients that use it. */
export async function renameFlow(ctx: Ctx, from: string, to: string): Promise<VersionedFlow> {
  const { flow: current } = await takeFlow(ctx, from);
  expectVersion(ctx, current.version);
  if (builtIn(from)) throw flowErrors.built_in();
  if (from === to) return shown(current);
  if (builtIn(to)) throw flowErrors.alias_taken();
  const flow = await renameFlowRow(ctx.tx, ctx.realm, from, to, ctx.now);
  await renameFlowOfClients(ctx.tx, ctx.realm, from, to, ctx.now);
  await renameFlowOfSamlClients(ctx.tx, ctx.realm, from, to, ctx.now);
  await recordConfigChange(ctx, "ADMIN_UPDATE", "flows", to, `renamed from ${from}`);
  return shown(flow);
}

export async function removeFlow(ctx: Ctx, alias: string): Promise<void> {
  const { flow } = await takeFlow(ctx, alias);
  expectVersion(ctx, flow.version);
  if (builtIn(alias)) throw flowErrors.built_in();
  const users = [
    ...(await clientsUsingFlow(ctx.tx, ctx.realm, alias, LISTING)),
    ...(await samlClientsUsingFlow(ctx.tx, ctx.realm, alias, LISTING)),
  ];
  if (users.length > 0) throw inUse(users);
  await deleteFlow(ctx.tx, ctx.realm, alias);
  await recordConfigChange(ctx, "ADMIN_DELETE", "flows", alias);
}

function checkedSteps(input: readonly StepInput[], purpose: Purpose): Step[] {
  const errors = brokenFlowRules(input, purpose);
  if (errors.length > 0) throw invalidFields(errors);
  return toSteps(input);
}

/** Checks on `client.flows_chosen` that the flows exist and fit, and locks them until commit. */
export async function shareChosenFlows(
  ctx: Ctx,
  { browserFlow, directGrantFlow, at = "" }: DomainEvents["client.flows_chosen"],
): Promise<void> {
  const chosen = [
    [`${at}browserFlow`, browserFlow, "sign-in"],
    [`${at}directGrantFlow`, directGrantFlow, "direct-grant"],
  ] as const;
  const errors: FieldError[] = [];
  for (const [field, alias, purpose] of chosen) {
    if (alias === null) continue;
    const flow = (await findFlow(ctx.tx, ctx.realm, alias, "share")) ?? builtIn(alias);
    const [unfit] = flow ? brokenFlowRules(flow.steps as readonly StepInput[], purpose) : [];
    if (!flow) errors.push({ field, code: "unknown_flow", message: `${field}: there is no flow “${alias}” in this realm` });
    else if (unfit)
      errors.push({ field, code: "unfit_flow", message: `${field}: the flow “${alias}” cannot be used here (${unfit.message})` });
  }
  if (errors.length > 0) throw invalidFields(errors);
}

export const listAuthenticators = (): AuthenticatorInfo[] =>
  Object.entries(authenticators)
    .map(([name, authenticator]) => ({
      name,
      displayName: authenticator.displayName,
      description: authenticator.description,
      kind: authenticator.kind,
      factor: authenticator.kind === "question" ? authenticator.factor : null,
      identifies: authenticator.kind === "question" ? authenticator.identifies : authenticator.kind === "silent",
      config: authenticator.config as unknown as Record<string, unknown>,
    }))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
