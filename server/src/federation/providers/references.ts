import { groupInUse } from "../../directory/groups/index.ts";
import { roleInUse } from "../../directory/roles/index.ts";
import { loginKey } from "../../kernel/text.ts";
import type { Ctx, DomainEvents } from "../../platform/context.ts";
import { roleMappers, updateMapper } from "./mappers.store.ts";
import { givenByProviders, holdProvidersThatGive, updateProvider } from "./store.ts";

/** `role.renamed`: providers go on giving the role, by their mappers and as a default role of new users. The caller announces the change. */
export async function giveRenamedRole({ tx, realm }: Ctx, { from, to }: DomainEvents["role.renamed"]): Promise<void> {
  const isIt = (name: string) => loginKey(name) === loginKey(from);
  for (const provider of await holdProvidersThatGive(tx, realm)) {
    const { displayName, enabled, config } = provider;
    const names = config.defaultRoles as string[];
    if (!names.some(isIt)) continue;
    const defaultRoles = [...new Set(names.map((name) => (isIt(name) ? to : name)))];
    await updateProvider(tx, provider, { displayName, enabled, config: { ...config, defaultRoles } });
  }
  for (const { mapperId, name, createdAt: _, version: __, ...mapper } of await roleMappers(tx, realm))
    if (isIt(mapper.role!)) await updateMapper(tx, realm, mapperId, name, { ...mapper, role: to });
}

/** Refuses on `realm_role.deleting` to delete a role that a mapper or the defaults of a provider give. */
export async function keepGivenRole({ tx, realm }: Ctx, { name }: DomainEvents["realm_role.deleting"]): Promise<void> {
  const given = await givenByProviders(tx, realm);
  const by = given.filter(({ role }) => role !== null && loginKey(role) === loginKey(name));
  if (by.length > 0) throw roleInUse("Identity providers", by.map(placeOf));
}

/** Refuses on `groups.deleting` to delete a group that a mapper or the defaults of a provider give. */
export async function keepGivenGroups({ tx, realm }: Ctx, { groupIds }: DomainEvents["groups.deleting"]): Promise<void> {
  const given = await givenByProviders(tx, realm);
  const by = given.filter(({ group }) => group !== null && groupIds.includes(group.toLowerCase()));
  if (by.length > 0) throw groupInUse("Identity providers", by.map(placeOf));
}

const placeOf = ({ alias, mapper }: { readonly alias: string; readonly mapper: string | null }): string =>
  `${alias} (${mapper === null ? "for new users" : `mapper ${mapper}`})`;
