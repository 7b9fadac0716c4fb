import { isDeepStrictEqual } from "node:util";
import { groupInUse } from "../../directory/groups/index.ts";
import { roleInUse } from "../../directory/roles/index.ts";
import { findGrants, type Named } from "../../federation/index.ts";
import { loginKey } from "../../kernel/text.ts";
import type { Ctx, DomainEvents } from "../../platform/context.ts";
import { type AuthenticatorStep, authenticatorSteps, mapSteps, type Step, stepsByPath } from "./flow.ts";
import { storedFlows, updateFlow } from "./store.ts";

/**
 * Refuses conditions on roles and groups that do not exist. A negated one would hold for everybody. Those that the flow already names are kept, so that
 * what GET returned can be sent back.
 */
export async function checkConditions(ctx: Ctx, steps: readonly Step[], before: readonly Step[]): Promise<void> {
  const named = (list: readonly Step[], condition: string, member: string): Named[] =>
    stepsByPath(list).flatMap(([{ authenticator, config }, path]) =>
      authenticator === condition
        ? (config[member] as string[]).map((name, index) => ({ name, field: `${path}.config.${member}.${index}` }))
        : [],
    );
  const added = (condition: string, member: string): Named[] => {
    const kept = new Set(named(before, condition, member).map(({ name }) => loginKey(name)));
    return named(steps, condition, member).filter(({ name }) => !kept.has(loginKey(name)));
  };
  await findGrants(ctx, added("condition-role", "roles"), added("condition-group", "groups"));
}

/** `role.renamed`: conditions on the role go on asking for it. The caller holds the realm's lock. */
export async function followRenamedRole(ctx: Ctx, { from, to }: DomainEvents["role.renamed"]): Promise<void> {
  const named = (name: string) => (loginKey(name) === loginKey(from) ? to : name);
  const followed = (step: AuthenticatorStep): AuthenticatorStep =>
    step.authenticator === "condition-role"
      ? { ...step, config: { ...step.config, roles: [...new Set((step.config.roles as string[]).map(named))] } }
      : step;
  for (const { alias, displayName, steps: before } of await storedFlows(ctx.tx, ctx.realm)) {
    const steps = mapSteps(before, followed);
    if (!isDeepStrictEqual(steps, before)) await updateFlow(ctx.tx, ctx.realm, alias, { displayName, steps }, ctx.now);
  }
}

/** Refuses on `realm_role.deleting` to delete a role that a condition names. */
export async function keepRoleOfConditions(ctx: Ctx, { name }: DomainEvents["realm_role.deleting"]): Promise<void> {
  const flows = await flowsNaming(ctx, "condition-role", "roles", [loginKey(name)]);
  if (flows.length > 0) throw roleInUse("Flows", flows);
}

/** Refuses on `groups.deleting` to delete a group that a condition names. */
export async function keepGroupsOfConditions(ctx: Ctx, { groupIds }: DomainEvents["groups.deleting"]): Promise<void> {
  const flows = await flowsNaming(ctx, "condition-group", "groups", groupIds);
  if (flows.length > 0) throw groupInUse("Flows", flows);
}

async function flowsNaming(ctx: Ctx, condition: string, member: string, keys: readonly string[]): Promise<string[]> {
  const names = ({ authenticator, config }: AuthenticatorStep) =>
    authenticator === condition && (config[member] as string[]).some((name) => keys.includes(loginKey(name)));
  const flows = await storedFlows(ctx.tx, ctx.realm);
  return flows.filter(({ steps }) => authenticatorSteps(steps).some(names)).map(({ alias }) => alias);
}
