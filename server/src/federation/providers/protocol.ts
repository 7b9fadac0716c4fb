import type { TObject } from "typebox";
import type { LdapConnection } from "../../platform/ldap/index.ts";
import type { Broker } from "../brokers/broker.ts";
import type { MapperState } from "./mappers.schema.ts";
import type { CheckTools, Config, FieldFault, OpenProvider, ReadMetadata } from "./provider.ts";

export interface TestTools extends CheckTools {
  /** Reads the metadata of a SAML provider from its address, and stores it for sign-ins. Throws an UpstreamError. */
  readMetadata(provider: OpenProvider): Promise<ReadMetadata>;
}

/** One result of a test. The message reveals nothing about the internal network. */
export interface TestedCheck {
  readonly name: string;
  readonly ok: boolean;
  readonly message: string;
}

/** The differences between directories. */
export interface DirectoryTraits {
  /** True if each domain controller numbers its changes (`uSNChanged`); otherwise changes are found by time. */
  readonly numbersChanges: boolean;
  /** Writes a password. `current` is null if the service account resets it. */
  writePassword(
    connection: LdapConnection,
    change: { readonly dn: string; readonly next: string; readonly current: string | null },
  ): Promise<void>;
  /** True if the directory takes a password that the service account sets for an administrator's, which must be replaced at the first sign-in. */
  readonly marksResets: boolean;
}

/** One shape of a mark. Without `fill` it has the colour of the surrounding text, light or dark. */
export interface MarkShape {
  readonly d: string;
  readonly fill?: string;
}

/** One kind of identity provider: the schema of its `config`, its rules for mappers and its test call. It is a plug point: a plain object in `protocols`. */
export interface IdentityProviderProtocol {
  /** The schema of `config`, including secret members. Members that it does not list are refused. It contains no defaults: see `defaults`. */
  readonly config: TObject;
  /** The values of omitted members. */
  readonly defaults: Config;
  /** Members that are sealed and never shown. */
  readonly secrets: readonly string[];
  /** Members that decide neither where answers come from nor what they mean. A change of any other member needs the permissions of the linked users. */
  readonly harmless: readonly string[];
  /** Members that decide what a subject means. Once users are linked, another value would take one person for another. */
  readonly subjectMembers: readonly string[];
  /** Returns the entity that users are linked to, if `config` names it. It exists in protocols whose metadata may name the entity instead. */
  entityIn?(config: Config): string | null;
  /** An authority has verified what the provider supplies, so users cannot change it themselves. */
  readonly vouchesForProfile?: true;
  /** The members of `config` that the response to a create request shows. If omitted, it shows all that are not secret, like every other response. */
  readonly createShows?: readonly string[];
  /** Returns the form to store, for values that can be written in several ways. */
  normalized?(config: Config): Config;
  /** Returns the faults of a mapper that only this protocol knows. */
  checkMapper?(mapper: Omit<MapperState, "sync">): readonly FieldFault[];
  /** Returns the addresses that secrets, or values made with them, are sent to. With another scheme, host or port the secrets must be sent again. */
  addresses(config: Config): readonly string[];
  /** Returns the stored secrets that a configuration does not use. Saving it removes them. */
  unusedSecrets?(config: Config): readonly string[];
  /** Returns faults that the schema cannot express. It sends nothing. */
  check(provider: Pick<OpenProvider, "config" | "secrets">, tools: CheckTools): readonly FieldFault[];
  /** The traits of a directory, which checks passwords and is synchronized. Other protocols have none. */
  readonly directory?: DirectoryTraits;
  /** Signs users in by a browser. A directory has none: it checks passwords. */
  readonly broker?: Broker;
  /** The mark on the sign-in page, on a field of 24 by 24. It stands beside the name, so it has no meaning of its own. If omitted, a key is shown. */
  readonly mark?: readonly MarkShape[];
  /** Contacts the provider with the stored configuration. */
  test(provider: OpenProvider, tools: TestTools): Promise<readonly TestedCheck[]>;
}
