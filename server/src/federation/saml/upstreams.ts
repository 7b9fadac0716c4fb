import { clock, DAY, HOUR, MINUTE, SECOND } from "../../kernel/clock.ts";
import { createLru } from "../../kernel/lru.ts";
import type { Db } from "../../platform/db/index.ts";
import { createRereadLimit, type Outbound } from "../../platform/outbound/index.ts";
import { assertNotOver } from "../../platform/saml/index.ts";
import { UpstreamError } from "../oidc/metadata.ts";
import type { IdentityProviders, OpenProvider, ProviderSnapshot, ReadMetadata } from "../providers/provider.ts";
import { claimDueMetadata, findMetadata, postponeMetadata, saveMetadata } from "./metadata.store.ts";
import { fetchProviderMetadata, inlineMetadata, type SamlUpstream, samlUpstream } from "./provider-metadata.ts";
import type { SamlRules } from "./rules.ts";

/** SAML identity providers, as their configuration and metadata describe them. */
export interface SamlUpstreams {
  read(provider: ProviderSnapshot, rules?: Pick<SamlRules, "signatures">): Promise<SamlUpstream>;
  /** Reads the metadata at its address now, whatever is known of it: an administrator tests the provider. Throws an UpstreamError. */
  refresh(provider: OpenProvider): Promise<ReadMetadata>;
  /** After a signature of an unknown key. Null: its metadata was read a moment ago, or it has none to read. */
  reread(provider: ProviderSnapshot, rules?: Pick<SamlRules, "signatures">): Promise<SamlUpstream | null>;
  /** The entity that the metadata at the provider's address named last; null: it was not read. */
  entityOf(db: Db, provider: Pick<OpenProvider, "realm" | "providerId">): Promise<string | null>;
  /** A job: reads the metadata that is due. */
  rereadDue(providers: IdentityProviders): Promise<void>;
}

/** The time after which a process looks at the row again. */
const LOOK_AGAIN = MINUTE;
/** A provider that is down is not asked for every click. */
const FAILED = 5 * SECOND;
const MAX_KEPT = 1_000;
const AT_ONCE = 4;
const MAX_PER_RUN = 500;

interface Kept {
  readonly version: number;
  readonly metadata: ReadMetadata;
  readonly lookedAt: number;
}

type Failure = { readonly error: UpstreamError; readonly at: number; readonly version: number };

/** The entity that the metadata of a provider named when it was read last; null: it was not read. */
export const readEntity: SamlUpstreams["entityOf"] = async (db, provider) => (await findMetadata(db, provider))?.metadata.entityId ?? null;

export function createSamlUpstreams({ db, outbound }: { readonly db: Db; readonly outbound: Outbound }): SamlUpstreams {
  const kept = createLru<Kept>(MAX_KEPT);
  const failed = createLru<Failure>(MAX_KEPT);
  const rereadLimit = createRereadLimit(MAX_KEPT);
  // Shared, so that a hundred sign-ins at once read it once; by version, because another one may have another address or certificate.
  const reading = new Map<string, Promise<Kept>>();

  const readingKey = ({ providerId, version }: OpenProvider) => `${providerId} ${version}`;
  const isDown = (error: unknown) => error instanceof UpstreamError && error.reason === "metadata";
  const isOver = ({ validUntil }: ReadMetadata) => validUntil !== null && validUntil <= clock.now();

  /** Fetches and stores it. The entity must stay the one that users are linked to. */
  const fetched = (provider: OpenProvider, known: ReadMetadata | null): Promise<Kept> => {
    const { providerId: key, version } = provider;
    const shared = readingKey(provider);
    const inProgress = reading.get(shared);
    if (inProgress) return inProgress;
    const work = (async (): Promise<Kept> => {
      const metadata = await fetchProviderMetadata(outbound, provider.config);
      if (known !== null && metadata.entityId !== known.entityId)
        throw new UpstreamError("metadata", `The metadata is that of ${metadata.entityId} now, and was that of ${known.entityId}.`);
      const now = clock.now();
      await saveMetadata(db, provider, {
        url: String(provider.config.metadataUrl),
        metadata,
        version,
        now,
        nextAt: now + pauseOf(metadata),
      });
      const entry = { version, metadata, lookedAt: now };
      kept.set(key, entry);
      failed.delete(key);
      return entry;
    })();
    reading.set(shared, work);
    work.then(
      () => reading.delete(shared),
      (error) => {
        reading.delete(shared);
        if (error instanceof UpstreamError) failed.set(key, { error, at: clock.now(), version });
      },
    );
    return work;
  };

  const current = async (provider: ProviderSnapshot): Promise<Kept> => {
    const { providerId: key, version } = provider;
    const mine = kept.get(key);
    if (mine?.version === version && clock.now() - mine.lookedAt < LOOK_AGAIN && !isOver(mine.metadata)) return mine;
    const stored = await storedFor(provider);
    const isUsable = stored !== null && !isOver(stored.metadata);
    const keepStored = () => {
      const entry = { version, metadata: stored!.metadata, lookedAt: clock.now() };
      kept.set(key, entry);
      return entry;
    };
    if (isUsable && stored.version === version) return keepStored();
    const failure = failed.get(key);
    const hasFailed = failure?.version === version && clock.now() - failure.at < FAILED;
    if (hasFailed && !(isUsable && isDown(failure!.error))) throw failure!.error;
    // An administrator has saved the provider since: it is read again. The last good copy counts while the provider is down, but not where its
    // signature is wrong: another certificate may be required now.
    if (hasFailed) return keepStored();
    return fetched(provider, stored?.metadata ?? null).catch((error) => {
      if (isUsable && isDown(error)) return keepStored();
      throw error;
    });
  };

  const storedFor = async (provider: OpenProvider) => {
    const { metadataUrl, idpEntityId } = provider.config;
    const row = await findMetadata(db, provider);
    return row?.url === metadataUrl && (idpEntityId === undefined || row?.metadata.entityId === idpEntityId) ? row : null;
  };

  const inline = new WeakMap<ProviderSnapshot, ReadMetadata>();
  const described = ({ config }: ProviderSnapshot, metadata: ReadMetadata | null, rules?: Pick<SamlRules, "signatures">) =>
    samlUpstream(config, metadata, outbound, rules?.signatures);

  return {
    async read(provider, rules) {
      const { config } = provider;
      if (config.metadataUrl !== undefined) return described(provider, (await current(provider)).metadata, rules);
      const known = inline.get(provider) ?? inlineMetadata(config);
      if (known === null) return described(provider, null, rules);
      inline.set(provider, known);
      assertNotOver(known, clock.now());
      return described(provider, known, rules);
    },

    entityOf: readEntity,

    refresh: async (provider) => (await fetched(provider, (await storedFor(provider))?.metadata ?? null)).metadata,

    async reread(provider, rules) {
      if (provider.config.metadataUrl === undefined) return null;
      const { metadata } = await current(provider);
      if (!rereadLimit.take(provider.providerId) && !reading.has(readingKey(provider))) return null;
      return fetched(provider, metadata).then(
        (entry) => described(provider, entry.metadata, rules),
        () => null,
      );
    },

    async rereadDue(providers) {
      for (let done = 0; done < MAX_PER_RUN; ) {
        const due = await claimDueMetadata(db, clock.now(), AT_ONCE);
        await Promise.all(due.map((row) => rereadOne(providers, row)));
        done += due.length;
        if (due.length < AT_ONCE) return;
      }
    },
  };

  async function rereadOne(providers: IdentityProviders, { realm, providerId }: { realm: string; providerId: string }): Promise<void> {
    const all = await providers.get(realm);
    const provider = [...(all?.byAlias.values() ?? [])].find((one) => one.providerId === providerId);
    if (!provider?.enabled || provider.config.metadataUrl === undefined)
      return postponeMetadata(db, { realm, providerId }, clock.now() + DAY);
    const known = (await storedFor(provider))?.metadata ?? null;
    // A provider that is down is asked again in an hour; until then what was read counts, as long as it says it may.
    await fetched(provider, known).catch((error) => {
      if (!(error instanceof UpstreamError)) throw error;
      return postponeMetadata(db, provider, clock.now() + HOUR);
    });
  }
}

/** Daily, and earlier where the metadata wants it, but not more than hourly. */
const pauseOf = ({ cacheDuration }: ReadMetadata): number => Math.min(DAY, Math.max(HOUR, cacheDuration ?? DAY));
