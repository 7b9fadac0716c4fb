import { domainOfAddress, normalDomain, providerOfDomain } from "../../directory/organizations/index.ts";
import type { Db } from "../../platform/db/index.ts";
import type { IdentityProviders, ProviderSnapshot } from "../providers/provider.ts";

interface Typed {
  readonly realm: string;
  readonly address: string;
}

/**
 * Home-realm discovery: the provider that a mail address leads to, by its domain alone, so that it is the same for users who exist and users who do
 * not. A verified domain of an organization counts before what providers say of themselves. One that is disabled leads nowhere.
 */
export const homeProvider = (parts: { readonly db: Db; readonly providers: IdentityProviders }, { realm, address }: Typed) =>
  providerAt(parts, realm, domainOfAddress(address));

/** The provider of an address or a domain that a user typed to find it. */
export const homeProviderOf = (parts: { readonly db: Db; readonly providers: IdentityProviders }, { realm, address }: Typed) =>
  providerAt(parts, realm, address.includes("@") ? domainOfAddress(address) : normalDomain(address));

async function providerAt(
  { db, providers }: { readonly db: Db; readonly providers: IdentityProviders },
  realm: string,
  domain: string | null,
): Promise<ProviderSnapshot | null> {
  const snapshot = domain === null ? null : await providers.get(realm);
  if (domain === null || !snapshot?.leadsHome) return null;
  // A realm whose organizations have no provider is not asked for theirs.
  const ofOrganization = snapshot.isOfOrganizations ? await providerOfDomain(db, realm, domain) : null;
  const provider = snapshot.byAlias.get(ofOrganization ?? snapshot.byDomain.get(domain) ?? "");
  return provider?.enabled ? provider : null;
}
