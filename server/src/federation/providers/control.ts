import { normalDomain, verifiedAmong } from "../../directory/organizations/index.ts";
import { sha256 } from "../../kernel/vault.ts";
import type { Ctx, ReadCtx } from "../../platform/context.ts";
import { allows, assertHolds } from "../../tenancy/permissions/index.ts";
import { providerErrors } from "./errors.ts";
import { permissionsThrough } from "./links.store.ts";
import type { IdentityProviderProtocol } from "./protocol.ts";
import { protocolOf, protocols } from "./protocols.ts";
import type { Config } from "./provider.ts";
import { findProvider } from "./store.ts";

declare module "../../platform/context.ts" {
  interface DomainEvents {
    /** An administrator lets a provider write attributes. Listeners add to `uses` those that identify users or let them in, and describe who uses them. */
    "identity_provider.attributes_mapping": { readonly names: readonly string[]; readonly uses: Map<string, string> };
  }
}

/** Returns `users.source` of users who came from a provider. */
export const sourceOf = (protocol: string, alias: string): string => `${protocol}:${alias}`;

/**
 * The escalation rule for identity providers. A caller that decides where a provider's answers come from, or what they mean, can act as every user who signs in
 * by it. So the caller needs the permissions of those users: the linked ones, and those whose account came from a provider of this alias, including providers
 * that were deleted since.
 */
export async function assertMayAnswerFor(ctx: ReadCtx, provider: Answering): Promise<void> {
  assertHolds(ctx.actor, await permissionsBy(ctx, provider));
}

/** Tells whether anyone with permissions signs in by a provider of this alias. */
export async function isUsedByHolders(ctx: ReadCtx, alias: string): Promise<boolean> {
  const present = await findProvider(ctx.tx, ctx.realm, alias);
  return (await permissionsBy(ctx, { providerId: present?.providerId ?? null, alias })).length > 0;
}

interface Answering {
  readonly providerId: string | null;
  readonly alias: string;
}

const permissionsBy = (ctx: ReadCtx, { providerId, alias }: Answering) =>
  permissionsThrough(ctx.tx, ctx.realm, { providerId, sources: Object.keys(protocols).map((protocol) => sourceOf(protocol, alias)) });

/**
 * Requires that each of `domains` is a verified domain of an organization of the realm, or that the caller has `realm-admin`. Every address in these domains
 * leads to the provider when it is entered, including those of the realm's administrators.
 */
export async function assertMayLeadDomains(ctx: ReadCtx, config: Config): Promise<void> {
  const domains = ((config.domains ?? []) as readonly string[]).map((domain) => normalDomain(domain) ?? domain);
  const verified = await verifiedAmong(ctx.tx, ctx.realm, domains);
  const others = domains.filter((domain) => !verified.has(domain));
  if (others.length === 0) return;
  if (!ctx.actor.permissions.has("realm-admin")) throw providerErrors.domain_unverified(others);
  assertHolds(ctx.actor, ["realm-admin"]);
}

/**
 * Requires `manage-users` for attributes by which applications identify users or let them in. With a mapper the provider decides who has such an attribute, so
 * the caller could give it to a user of their own.
 */
export async function assertMayWriteAttributes(ctx: Ctx, names: readonly string[]): Promise<void> {
  if (names.length === 0) return;
  const uses = new Map<string, string>();
  await ctx.emit("identity_provider.attributes_mapping", { names, uses });
  for (const [attribute, by] of uses) {
    if (!allows(ctx.actor.permissions, "manage-users")) throw providerErrors.attribute_identifies(attribute, by);
    assertHolds(ctx.actor, ["manage-users"]);
  }
}

/**
 * Returns a digest of the members that decide which users a provider's subjects are, and who may sign in. A link needs the digest that held when the account
 * was confirmed. Once users are linked, these members cannot change.
 */
export function basisOf({ protocol, config: own }: { readonly protocol: string; readonly config: Config }): string {
  const { defaults, subjectMembers, entityIn } = protocolOf(protocol);
  const config: Config = { ...defaults, ...own };
  const members = [...subjectMembers, "metadataUrl", "allowedDomains", "provisioning"].map((member) => config[member] ?? null);
  return sha256(JSON.stringify([...members, entityIn?.(config) ?? null]));
}

/** Returns the members in which two configs differ. Both have their defaults filled in. */
export function changedMembers(before: Config, after: Config): string[] {
  const members = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...members].filter((member) => JSON.stringify(before[member]) !== JSON.stringify(after[member]));
}

/** Tells whether a change touches anything but how the provider is shown. */
export const isControl = ({ harmless }: IdentityProviderProtocol, changed: readonly string[]): boolean =>
  changed.some((member) => !harmless.includes(member));
