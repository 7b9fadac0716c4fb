import type { TObject } from "typebox";
import type { LdapConnection } from "../../platform/ldap/index.ts";
import type { Broker } from "../brokers/broker.ts";
import type { MapperState } from "./mappers.schema.ts";
import type { CheckTools, Config, FieldFault, OpenProvider, ReadMetadata } from "./provider.ts";

export interface TestTools extends CheckTools {
  /** Reads the metadata of a SAML provider from its address; sign-ins use it from then on. Throws an UpstreamError. */
  readMetadata(provider: OpenProvider): Promise<ReadMetadata>;
}

/** One thing that a test looked at. The message tells nothing of the network inside. */
export interface TestedCheck {
  readonly name: string;
  readonly ok: boolean;
  readonly message: string;
}

/** The differences between directories. */
export interface DirectoryTraits {
  /** Changes are numbered by each controller (`uSNChanged`); otherwise they are found by time. */
  readonly numbersChanges: boolean;
  /** Writes a password. `current` is null where the service account resets it. */
  writePassword(
    connection: LdapConnection,
    change: { readonly dn: string; readonly next: string; readonly current: string | null },
  ): Promise<void>;
  /** A password that the service account has set is taken for an administrator's, to be replaced at the first sign-in. */
  readonly marksResets: boolean;
}

/** One shape of a mark. Without a colour it has that of the text around it, light or dark. */
export interface MarkShape {
  readonly d: string;
  readonly fill?: string;
}

/** One kind of identity provider: the schema of its `config`, its mappers and its test call. A plug point: a plain object in `protocols`. */
export interface IdentityProviderProtocol {
  /** The members of `config`, secret ones included; what it does not list is refused. Without defaults: see `defaults`. */
  readonly config: TObject;
  /** For members that were left out. */
  readonly defaults: Config;
  /** Members that are sealed and never shown. */
  readonly secrets: readonly string[];
  /** Members that say neither where answers come from nor what they are worth. Changing any other needs what the linked users hold. */
  readonly harmless: readonly string[];
  /** Members that decide what a subject means: with users linked, another value would mistake one person for another. */
  readonly subjectMembers: readonly string[];
  /** The entity that users are linked to, if `config` names it. Present in protocols whose metadata may name it instead. */
  entityIn?(config: Config): string | null;
  /** An authority has verified what it supplies: users do not change it themselves. */
  readonly vouchesForProfile?: true;
  /** The members of `config` that the answer to a create shows; left out: all that are not secret, as every other answer does. */
  readonly createShows?: readonly string[];
  /** The form to store, for values that can be written in several ways. */
  normalized?(config: Config): Config;
  /** The faults of a mapper that only this protocol knows. */
  checkMapper?(mapper: Omit<MapperState, "sync">): readonly FieldFault[];
  /** The addresses that secrets, or what is made with them, are sent to. Another scheme, host or port needs them anew. */
  addresses(config: Config): readonly string[];
  /** The stored secrets that a configuration does not use: saving it removes them. */
  unusedSecrets?(config: Config): readonly string[];
  /** Faults that the schema cannot express. Nothing is sent. */
  check(provider: Pick<OpenProvider, "config" | "secrets">, tools: CheckTools): readonly FieldFault[];
  /** Only a directory has traits: it checks passwords and is synchronized. */
  readonly directory?: DirectoryTraits;
  /** Signs users in by a browser. Left out: a directory, which checks passwords. */
  readonly broker?: Broker;
  /** Its mark on the sign-in page, on a field of 24 by 24; beside the name it says nothing alone. Left out: a key. */
  readonly mark?: readonly MarkShape[];
  /** Reaches for the provider with the stored configuration. */
  test(provider: OpenProvider, tools: TestTools): Promise<readonly TestedCheck[]>;
}
