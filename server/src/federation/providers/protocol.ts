import type { TObject } from "typebox";
import type { Outbound } from "../../platform/outbound/index.ts";
import type { EntityMetadata } from "../../platform/saml/index.ts";
import type { MapperState } from "./mappers.schema.ts";

export type Config = Readonly<Record<string, unknown>>;

/** A provider as protocols see it: defaults filled in, secrets opened. */
export interface OpenProvider {
  readonly realm: string;
  /** Of this record; a later one of the same alias has another. */
  readonly providerId: string;
  readonly alias: string;
  readonly protocol: string;
  readonly displayName: string;
  /** Grows with every change: what is kept for a provider (a connection, a document) is kept for one version only. */
  readonly version: number;
  readonly config: Config;
  readonly secrets: Readonly<Record<string, string>>;
}

/** What is wrong with one member, in words for the administrator who saves it. */
export interface FieldFault {
  readonly field: string;
  readonly message: string;
  /** What is wrong does no harm in a provider that is disabled: it can be disabled all the same. */
  readonly onlyWhenEnabled?: true;
}

/** What the metadata of a SAML provider says, as far as it is used. Plain JSON: it is stored. */
export interface ReadMetadata {
  readonly entityId: string;
  readonly validUntil: number | null;
  readonly cacheDuration: number | null;
  readonly idp: NonNullable<EntityMetadata["idp"]>;
}

export interface CheckTools {
  readonly outbound: Outbound;
  readonly baseUrl: string;
}

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

/** One kind of identity provider: what its `config` holds, and whether it can be reached. A plug point: a plain object in `protocols`. */
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
  /** The entity that users are linked to, where `config` says it. Of protocols whose metadata may say it instead. */
  entityIn?(config: Config): string | null;
  /** What it says of a person is verified by an authority: people do not change it themselves. */
  readonly vouchesForProfile?: true;
  /** The members of `config` that the answer to a create shows; left out: all that are not secret, as every other answer does. */
  readonly createShows?: readonly string[];
  /** As it is stored, where one thing can be written in several ways. */
  normalized?(config: Config): Config;
  /** What is wrong with a mapper for this protocol alone. */
  checkMapper?(mapper: Omit<MapperState, "sync">): readonly FieldFault[];
  /** Where secrets, or what is made with them, are sent: another scheme, host or port needs them anew. */
  addresses(config: Config): readonly string[];
  /** The stored secrets that a configuration does not use: saving it removes them. */
  unusedSecrets?(config: Config): readonly string[];
  /** What the schema cannot say. Nothing is sent. */
  check(provider: Pick<OpenProvider, "config" | "secrets">, tools: CheckTools): readonly FieldFault[];
  /** Reaches for the provider with the stored configuration. */
  test(provider: OpenProvider, tools: TestTools): Promise<readonly TestedCheck[]>;
}
