import { domainOfAddress, normalDomain, providerOfDomain } from "../../directory/organizations/index.ts";
import type { Db } from "../../platform/db/index.ts";
import type { IdentityProviders, ProviderSnapshot } from "../providers/provider.ts";

interface Typed {
  readonly realm: string;
  readonly address: string;
}

/**
 * Home-realm discovery: finds the provider that a mail address leads to. Only the domain decides, so the result is the same for existing and unknown users. A
 * verified domain of an organization takes precedence over the domains in a provider's configuration. A disabled provider is not found.
 */
export const homeProvider = (parts: { readonly db: Db; readonly providers: IdentityProviders }, { realm, address }: Typed) =>
  providerAt(parts, realm, domainOfAddress(address));

/** Finds the provider for an address or a domain that a user entered. */
export const homeProviderOf = (parts: { readonly db: Db; readonly providers: IdentityProviders }, { realm, address }: Typed) =>
  providerAt(parts, realm, address.includes("@") ? domainOfAddress(address) : normalDomain(address));

async function providerAt(
  { db, providers }: { readonly db: Db; readonly providers: IdentityProviders },
  realm: string,
  domain: string | null,
): Promise<ProviderSnapshot | null> {
  const snapshot = domain === null ? null : await providers.get(realm);
  if (domain === null || !snapshot?.leadsHome) return null;
  // The query is skipped if no organization of the realm has a provider.
  const ofOrganization = snapshot.isOfOrganizations ? await providerOfDomain(db, realm, domain) : null;
  const provider = snapshot.byAlias.get(ofOrganization ?? snapshot.byDomain.get(domain) ?? "");
  return provider?.enabled ? provider : null;
}
