import { deleteMember, existingGroups, insertMember } from "../../directory/groups/index.ts";
import { changingGrants, shareRolesByName } from "../../directory/roles/index.ts";
import { addRoles, dropRoles, updateBrokeredUser } from "../../directory/users/index.ts";
import { type Ctx, systemActor } from "../../platform/context.ts";
import { grantsMadeBy, type MapperState, type ProviderSnapshot, recordGrants } from "../identity-providers/index.ts";
import type { BrokeredIdentity } from "./broker.ts";

type Claims = BrokeredIdentity["claims"];

/** A claim by its name, or by the way to it: `realm_access.roles`. */
export function claimAt(claims: Claims, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path];
  let value: unknown = claims;
  for (const name of path.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return value;
}

const MAX_VALUES = 100;
const MAX_LENGTH = 2048;

/** As attributes keep it: a text, or several. */
function attributeOf(value: unknown): string | string[] | undefined {
  if (Array.isArray(value)) {
    const texts = value.map(attributeOf).filter((each) => typeof each === "string");
    return texts.length === 0 ? undefined : texts.slice(0, MAX_VALUES);
  }
  const text = typeof value === "string" ? value : typeof value === "number" || typeof value === "boolean" ? String(value) : undefined;
  return text === undefined || text === "" || text.length > MAX_LENGTH || text.includes("\u0000") ? undefined : text;
}

/** `{claim}` is filled in, `{email|local}` with the part before the @; what is missing is left out. */
export const fillTemplate = (template: string, claims: Claims): string =>
  template.replace(/\{([^{}|]{1,255})(\|local)?\}/g, (_, path: string, local?: string) => {
    const value = attributeOf(claimAt(claims, path));
    const text = Array.isArray(value) ? (value[0] ?? "") : (value ?? "");
    return local ? text.replace(/@[^@]*$/, "") : text;
  });

const says = ({ claim, value }: MapperState, claims: Claims): boolean => {
  if (claim === undefined) return true;
  const found = claimAt(claims, claim);
  if (value === undefined) return found !== undefined && found !== null && found !== false;
  return (Array.isArray(found) ? found : [found]).some((each) => attributeOf(each) === value);
};

/** Whether a sign-in that is not the first has anything to write. */
export const writesEachTime = ({ config, mappers }: ProviderSnapshot): boolean =>
  config.sync === "force" || mappers.some(({ sync }) => sync === "force");

/**
 * What a sign-in by the provider says of its user: names, address, attributes, roles and groups. The user is held to be written. Whoever set
 * up the mappers answered for what they give.
 */
export async function applyMapping(ctx: Ctx, provider: ProviderSnapshot, identity: BrokeredIdentity, userId: string, isFirst: boolean) {
  const { config, mappers } = provider;
  const counts = ({ sync }: Pick<MapperState, "sync">) => isFirst || sync === "force";
  const attributes: Record<string, string | string[] | undefined> = {};
  if (counts(config as Pick<MapperState, "sync">)) {
    if (identity.firstName !== null) attributes.firstName = identity.firstName;
    if (identity.lastName !== null) attributes.lastName = identity.lastName;
  }
  for (const mapper of mappers.filter(counts)) {
    if (mapper.type === "attribute") attributes[mapper.attribute!] = attributeOf(claimAt(identity.claims, mapper.claim!));
    if (mapper.type === "template") attributes[mapper.attribute!] = attributeOf(fillTemplate(mapper.template!, identity.claims));
  }
  const follows = !isFirst && config.sync === "force" && identity.email !== null;
  const email = follows ? { address: identity.email!, verified: config.trustEmail === true && identity.emailVerified } : undefined;
  await updateBrokeredUser(ctx, userId, { attributes, ...(email && { email }) });
  await applyGrants(ctx, provider, identity, userId, isFirst);
}

async function applyGrants(ctx: Ctx, provider: ProviderSnapshot, { claims }: BrokeredIdentity, userId: string, isFirst: boolean) {
  const { mappers, providerId, config } = provider;
  const giving = mappers.filter(({ type, sync }) => (type === "role" || type === "group") && (isFirst || sync === "force"));
  const made = await grantsMadeBy(ctx.tx, ctx.realm, providerId, userId);
  if (giving.length === 0 && made.length === 0 && !isFirst) return;
  const said = giving.filter((mapper) => says(mapper, claims));
  const firstRoles = isFirst ? (config.defaultRoles as string[]) : [];
  const firstGroups = isFirst ? (config.defaultGroups as string[]) : [];
  const roles = await shareRolesByName(ctx.tx, ctx.realm, [...said.flatMap(({ role }) => role ?? []), ...firstRoles]);
  const wanted = {
    role: roles.map(({ roleId }) => roleId),
    group: await existingGroups(ctx.tx, ctx.realm, [...said.flatMap(({ group }) => group ?? []), ...firstGroups]),
  };
  const given = (kind: "role" | "group") => made.filter((grant) => grant.kind === kind).map(({ targetId }) => targetId);
  const [lostRoles, lostGroups] = [without(given("role"), wanted.role), without(given("group"), wanted.group)];

  await addRoles(ctx.tx, ctx.realm, userId, wanted.role);
  for (const groupId of wanted.group) await insertMember(ctx.tx, ctx.realm, groupId, userId, ctx.now);
  if (lostRoles.length > 0) {
    const asSystem = { ...ctx, actor: systemActor(ctx.realm) };
    await changingGrants(asSystem, lostRoles, () => dropRoles(ctx.tx, ctx.realm, userId, lostRoles));
  }
  for (const groupId of lostGroups) await deleteMember(ctx.tx, ctx.realm, groupId, userId);
  // What is given once is the user's own from then on.
  const forced = said.filter(({ sync }) => sync === "force");
  const forcedRoles = new Set(forced.flatMap(({ role }) => role ?? []).map((name) => name.toLowerCase()));
  const kept = [
    ...roles.filter(({ name }) => forcedRoles.has(name.toLowerCase())).map(({ roleId }) => ({ kind: "role" as const, targetId: roleId })),
    ...wanted.group
      .filter((id) => forced.some(({ group }) => group?.toLowerCase() === id))
      .map((id) => ({ kind: "group" as const, targetId: id })),
  ];
  await recordGrants(ctx.tx, ctx.realm, providerId, userId, kept);
}

const without = (all: readonly string[], some: readonly string[]): string[] => all.filter((each) => !some.includes(each));
