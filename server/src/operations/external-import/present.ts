import { findClientByClientId, givesPermissions } from "../../applications/clients/index.ts";
import { existingRoleNames } from "../../directory/roles/index.ts";
import { isUsedByHolders } from "../../federation/index.ts";
import { cut } from "../../kernel/text.ts";
import type { ReadCtx } from "../../platform/context.ts";
import { findProvider as findMailProvider } from "../../tenancy/messaging/index.ts";
import type { ImportTools, Transact } from "../transfer/index.ts";
import { recordsOf, type Values } from "./reading.ts";
import type { Report } from "./report.ts";

interface Guarded {
  readonly section: string;
  /** Returns the reason why the record of the files is not imported, or null if it is. */
  refusal(ctx: ReadCtx, tools: ImportTools, theirs: Values): Promise<string | null>;
}

const named = (name: unknown) => `“${cut(String(name), 100)}”`;

/**
 * A record that leads to permissions of the admin API here stays as it is. The author of the files knows the secret of an imported client, controls an
 * imported identity provider, and reads the mail of an imported mail server: by the name of one here, each would make the author an administrator.
 */
const guarded: readonly Guarded[] = [
  {
    section: "clients",
    async refusal(ctx, { baseUrl }, { clientId }) {
      const present = await findClientByClientId(ctx.tx, ctx.realm, String(clientId));
      if (present === null || !(await givesPermissions(ctx, present, baseUrl))) return null;
      return `The client ${named(clientId)} does not come: the client here of that name gives permissions of the admin API, and stays as it is. Delete that one first if it is the same application`;
    },
  },
  {
    section: "identityProviders",
    async refusal(ctx, _tools, { alias }) {
      if (!(await isUsedByHolders(ctx, String(alias)))) return null;
      return `The identity provider ${named(alias)} does not come: users with permissions of the admin API sign in here by one of that alias, which stays as it is. Change it here if it is the same`;
    },
  },
  {
    section: "messagingProviders",
    async refusal(ctx, { vault }, { channel }) {
      if (channel !== "EMAIL" || (await findMailProvider(ctx.tx, vault, ctx.realm, channel)) === null) return null;
      return "The mail server does not come: the realm sends its mail by another one, which stays as it is. Administrators reset their passwords by it";
    },
  },
];

/** Puts those of the roles that the files merely name into the section of roles which the realm does not have. */
export async function withNamedRoles(
  transact: Transact,
  { namedRoles, ...sections }: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const named = recordsOf(namedRoles);
  if (named.length === 0) return sections;
  const names = named.map(({ name }) => String(name));
  const present = await transact((ctx) => existingRoleNames(ctx.tx, ctx.realm, names));
  const lacking = named.filter(({ name }) => !present.includes(String(name)));
  return lacking.length === 0 ? sections : { ...sections, roles: [...recordsOf(sections.roles), ...lacking] };
}

/** Returns the sections without records that must not replace existing ones. */
export async function keepPowerful(
  transact: Transact,
  tools: ImportTools,
  sections: Record<string, unknown>,
  report: Report,
): Promise<Record<string, unknown>> {
  const brought = guarded.filter(({ section }) => recordsOf(sections[section]).length > 0);
  if (brought.length === 0) return sections;
  return transact(async (ctx) => {
    const left = { ...sections };
    for (const { section, refusal } of brought) {
      const taken: Values[] = [];
      for (const theirs of recordsOf(sections[section])) {
        const reason = await refusal(ctx, tools, theirs);
        if (reason === null) taken.push(theirs);
        else report.choice(reason);
      }
      left[section] = taken;
    }
    return left;
  });
}
