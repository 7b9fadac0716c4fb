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
  /** Reads the metadata from its address even if it was read recently: an administrator tests the provider. Throws an UpstreamError. */
  refresh(provider: OpenProvider): Promise<ReadMetadata>;
  /** Reads the metadata again after a signature by an unknown key. Returns null if it was read a moment ago, if it cannot be read, or if it has no address. */
  reread(provider: ProviderSnapshot, rules?: Pick<SamlRules, "signatures">): Promise<SamlUpstream | null>;
  /** Returns the entity in the last metadata that was read from the provider's address; null if none was read. */
  entityOf(db: Db, provider: Pick<OpenProvider, "realm" | "providerId">): Promise<string | null>;
  /** Reads the metadata that is due. It runs as a job. */
  rereadDue(providers: IdentityProviders): Promise<void>;
}

/** The time after which a process reads the stored row again. */
const LOOK_AGAIN = MINUTE;
/** The time for which a provider that is down is not asked again, so that not every click asks it. */
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

/** Returns the entity in the last metadata that was read of a provider; null if none was read. */
export const readEntity: SamlUpstreams["entityOf"] = async (db, provider) => (await findMetadata(db, provider))?.metadata.entityId ?? null;

export function createSamlUpstreams({ db, outbound }: { readonly db: Db; readonly outbound: Outbound }): SamlUpstreams {
  const kept = createLru<Kept>(MAX_KEPT);
  const failed = createLru<Failure>(MAX_KEPT);
  const rereadLimit = createRereadLimit(MAX_KEPT);
  // Readings are shared, so that a hundred sign-ins at once cause one. They are kept by version, because another version may have another address or
  // certificate.
  const reading = new Map<string, Promise<Kept>>();

  const readingKey = ({ providerId, version }: OpenProvider) => `${providerId} ${version}`;
  const isDown = (error: unknown) => error instanceof UpstreamError && error.reason === "metadata";
  const isOver = ({ validUntil }: ReadMetadata) => validUntil !== null && validUntil <= clock.now();

  /** Fetches and stores the metadata. Its entity must stay the one that users are linked to. */
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
    // An administrator has saved the provider since its metadata was read, so it is read again. The stored copy counts while the provider is down, but not
    // after a wrong signature: another certificate may be required now.
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
    // A provider that is down is asked again in an hour. Until then the stored metadata counts, as long as it is valid.
    await fetched(provider, known).catch((error) => {
      if (!(error instanceof UpstreamError)) throw error;
      return postponeMetadata(db, provider, clock.now() + HOUR);
    });
  }
}

/** Returns the interval of readings: a day, or less if the metadata asks for it, but at least an hour. */
const pauseOf = ({ cacheDuration }: ReadMetadata): number => Math.min(DAY, Math.max(HOUR, cacheDuration ?? DAY));
