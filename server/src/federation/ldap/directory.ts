import { type Filter, parseTemplate } from "../../platform/ldap/index.ts";
import { sourceOf } from "../providers/control.ts";
import { mappedAttributes } from "../providers/mapping.ts";
import type { DirectoryTraits } from "../providers/protocol.ts";
import { protocolOf, protocols } from "../providers/protocols.ts";
import type { ProviderSnapshot } from "../providers/provider.ts";
import { type GroupSearch, groupSearchOf } from "./groups.ts";
import { groupsNamedBy, mapperAttributes } from "./mapper-claims.ts";
import { type Person, personAttributes } from "./person.ts";

/** The protocols of directories. */
export const directoryProtocols: readonly string[] = Object.keys(protocols).filter((name) => protocolOf(name).directory !== undefined);

export const isDirectory = ({ protocol }: Pick<ProviderSnapshot, "protocol">): boolean => directoryProtocols.includes(protocol);

/** A provider of one of these protocols, in the form that sign-ins and runs use. */
export interface Directory {
  readonly provider: ProviderSnapshot;
  readonly traits: DirectoryTraits;
  /** `users.source` of its users. */
  readonly source: string;
  readonly searchBase: string;
  readonly filterOf: (name: string) => Filter;
  /** The filter that finds everyone; null if the search filter can only find one person by name, so that it serves sign-ins only. */
  readonly everyone: Filter | null;
  readonly idAttribute: string;
  readonly attributes: readonly string[];
  /** The groups that mappers name, by DN or by name. */
  readonly groupValues: readonly string[];
  /** Null if the groups of a person are those in `memberOf` of the entry. */
  readonly groupSearch: GroupSearch | null;
  readonly trustsEmail: boolean;
  readonly provisions: boolean;
  readonly writesPasswords: boolean;
  /** The number of seconds for which an entry that was found is not looked up again. */
  readonly entryCheckSeconds: number;
  /** `allow`: its users stay signed in, or may sign in, while the directory cannot be reached. */
  readonly whenUnreachable: Readonly<Record<"sign-in" | "renewal", "allow" | "refuse">>;
  /** True if an entry with a new id and the name of a former user becomes that user. */
  readonly returnsToFormer: boolean;
}

export function directoryOf(provider: ProviderSnapshot): Directory {
  const { config, protocol, alias } = provider;
  const template = parseTemplate(String(config.userSearchFilter));
  const idAttribute = String(config.idAttribute);
  const groupValues = groupsNamedBy(provider.mappers);
  const groupSearch = groupSearchOf(config);
  const readsMemberOf = groupValues.length > 0 && groupSearch === null;
  return {
    provider,
    traits: protocolOf(protocol).directory!,
    source: sourceOf(protocol, alias),
    searchBase: String(config.userSearchBase),
    filterOf: (name) => template.of(name),
    everyone: template.all,
    idAttribute,
    attributes: [...new Set([...personAttributes(config), ...mapperAttributes(provider.mappers), ...(readsMemberOf ? ["memberOf"] : [])])],
    ...{ groupValues, groupSearch },
    trustsEmail: config.trustEmail === true,
    provisions: config.provisioning === "create",
    writesPasswords: config.editMode === "PASSWORD",
    entryCheckSeconds: Number(config.entryCheckSeconds),
    whenUnreachable: {
      "sign-in": config.signInWhenUnreachable === "allow" ? "allow" : "refuse",
      renewal: config.refreshWhenUnreachable === "refuse" ? "refuse" : "allow",
    },
    returnsToFormer: config.returningEntries === "former",
  };
}

export const profileOf = (directory: Directory, { username, email, firstName, lastName, claims }: Person) => ({
  username,
  email,
  trustsEmail: directory.trustsEmail,
  attributes: { firstName, lastName, ...mappedAttributes(directory.provider.mappers, claims, false) },
});
