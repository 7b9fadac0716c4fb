import { updateBrokeredUser } from "../../directory/users/index.ts";
import type { Ctx } from "../../platform/context.ts";
import { type LinkedUser, recordSupplied } from "../providers/links.store.ts";
import { followGrants } from "../providers/mapper-grants.ts";
import type { MapperState } from "../providers/mappers.schema.ts";
import { claimsOfTemplate, countsNow, mappedAttributes } from "../providers/mapping.ts";
import { protocolOf } from "../providers/protocols.ts";
import type { ProviderSnapshot } from "../providers/provider.ts";
import type { BrokeredIdentity } from "./broker.ts";

/** Tells whether a sign-in of a linked user has anything to write, or to withdraw. */
export const writesEachTime = ({ config, mappers }: ProviderSnapshot, { hasGrants }: LinkedUser): boolean =>
  hasGrants || config.sync === "force" || mappers.some(({ sync }) => sync === "force");

const isListed = (value: unknown) => Array.isArray(value) && value.length > 0;

/** Tells whether a sign-in of a linked user depends on more than who they are. */
export const usesProfile = (provider: ProviderSnapshot, linked: LinkedUser): boolean =>
  writesEachTime(provider, linked) ||
  provider.isOfOrganizations ||
  [provider.config.allowedDomains, provider.config.multiFactorAcr, provider.config.multiFactorAmr].some(isListed);

/** The part of an identity that an account is made of. It keeps the claims that mappers and the template of usernames read. */
export function identityToKeep({ config, mappers }: ProviderSnapshot, identity: BrokeredIdentity) {
  const { subject, username, email, emailVerified, firstName, lastName, acr, amr } = identity;
  const templates = [config.usernameTemplate, ...mappers.map(({ template }) => template)].filter((each) => typeof each === "string");
  const paths = [...mappers.flatMap(({ claim }) => claim ?? []), ...templates.flatMap(claimsOfTemplate)];
  const names = new Set(paths.flatMap((path) => [path, path.split(".", 1)[0]!]));
  const claims = Object.fromEntries(Object.entries(identity.claims).filter(([name]) => names.has(name)));
  return { subject, username, email, emailVerified, firstName, lastName, claims, acr, amr };
}

/**
 * Applies the provider's claims to its user: names, address, attributes, roles and groups. The user's row must be locked. The
 * administrator who saved the mappers had to hold the roles that they grant.
 */
export async function applyMapping(ctx: Ctx, provider: ProviderSnapshot, identity: BrokeredIdentity, userId: string, isFirst: boolean) {
  const { config, mappers } = provider;
  const takesNames = countsNow(isFirst)(config as Pick<MapperState, "sync">);
  const attributes = {
    ...(takesNames && identity.firstName !== null && { firstName: identity.firstName }),
    ...(takesNames && identity.lastName !== null && { lastName: identity.lastName }),
    ...mappedAttributes(mappers, identity.claims, isFirst),
  };
  const follows = !isFirst && config.sync === "force" && identity.email !== null;
  const email = follows ? { address: identity.email!, verified: config.trustEmail === true && identity.emailVerified } : undefined;
  await updateBrokeredUser(ctx, userId, { attributes, ...(email && { email }) });
  if (protocolOf(provider.protocol).vouchesForProfile) {
    const names = (["firstName", "lastName", "email"] as const).filter((member) => identity[member] !== null);
    const mapped = Object.entries(mappedAttributes(mappers, identity.claims, true)).filter(([, value]) => value !== undefined);
    const supplied = { names: takesNames ? names : null, attributes: mapped.map(([name]) => name) };
    await recordSupplied(ctx.tx, ctx.realm, { providerId: provider.providerId, userId }, supplied);
  }
  await followGrants(ctx, provider, identity.claims, userId, isFirst);
}
