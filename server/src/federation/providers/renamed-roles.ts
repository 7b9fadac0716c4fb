import { loginKey } from "../../kernel/text.ts";
import type { Ctx, DomainEvents } from "../../platform/context.ts";
import { roleMappers, updateMapper } from "./mappers.store.ts";
import { holdProvidersThatGive, updateProvider } from "./store.ts";

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
