import { addTo } from "../../../../kernel/lists.ts";
import { defined, flagOf, isTrue, listOf, recordOf, recordsOf, slugOf, textOf, textsOf, type Values } from "../../reading.ts";
import type { KeycloakRealm } from "./export.ts";

const known = {
  mapped: ["name", "alias", "enabled", "attributes", "domains", "members", "identityProviders"],
  ignored: ["id"],
};
const aliasOf = (organization: Values) => slugOf(textOf(organization.alias) ?? textOf(organization.name) ?? "");

export function organizationsOf(realm: KeycloakRealm): object[] {
  return recordsOf(realm.value.organizations).map((organization) => {
    const at = `organizations[${textOf(organization.name)}]`;
    realm.report.members("organizations[]", at, organization, known);
    const [first, ...others] = recordsOf(organization.identityProviders).flatMap(({ alias }) => textOf(alias) ?? []);
    if (others.length > 0) realm.report.unmapped("organizations[].identityProviders", "An organization has one identity provider here", at);
    const mayVerify = realm.input.may("realm-admin");
    return {
      name: textOf(organization.name) ?? aliasOf(organization),
      alias: aliasOf(organization),
      ...defined({ enabled: flagOf(organization.enabled), identityProvider: first }),
      attributes: attributesOf(organization.attributes),
      domains: recordsOf(organization.domains).flatMap((record) => {
        const { name, verified } = record;
        realm.report.members("organizations[].domains[]", at, record, { mapped: ["name", "verified"] });
        const domain = textOf(name);
        if (isTrue(verified) && !mayVerify)
          realm.report.unmapped("organizations[].domains[].verified", "Only a holder of realm-admin can vouch for a domain", at);
        return domain === undefined ? [] : [{ domain, verified: isTrue(verified) && mayVerify }];
      }),
    };
  });
}

const attributesOf = (value: unknown): Record<string, string | string[]> =>
  Object.fromEntries(
    Object.entries(recordOf(value)).map(([name, values]) => {
      const texts = textsOf(values);
      return [name, texts.length === 1 ? texts[0]! : texts];
    }),
  );

/** Returns the organizations of each user, by username. */
export function membershipsOf(realm: KeycloakRealm): Map<string, { alias: string; role: string }[]> {
  const found = new Map<string, { alias: string; role: string }[]>();
  for (const organization of recordsOf(realm.value.organizations))
    for (const member of listOf(organization.members)) {
      const username = textOf(recordOf(member).username);
      if (username !== undefined) addTo(found, username, { alias: aliasOf(organization), role: "member" });
    }
  return found;
}
