import { setTimeout as wait } from "node:timers/promises";
import {
  askingProvider,
  type BrokerTools,
  beginRefresh,
  brokerOf,
  dropLinkTokens,
  endRefresh,
  findLinkTokens,
  type IdentityProviders,
  type LinkKey,
  type LinkTokens,
  type ProviderSnapshot,
  providerErrors,
  UpstreamError,
} from "../../../federation/index.ts";
import { clock, SECOND } from "../../../kernel/clock.ts";
import type { Vault } from "../../../kernel/vault.ts";
import type { Db } from "../../../platform/db/index.ts";

export interface LinkTokenParts {
  readonly db: Db;
  readonly vault: Vault;
  readonly providers: IdentityProviders;
  readonly tools: BrokerTools;
}

/** A token is refreshed when it lives no longer than this, because the application that reads it will use it. */
const MARGIN = 30 * SECOND;
/** The lease is longer than the provider may take to answer. */
const LEASE = 15 * SECOND;
const PATIENCE = 6 * SECOND;
const LOOK_AGAIN = 100;

/** The token that was found, and the row to store with the event of the access. */
export interface ReadToken {
  readonly key: LinkKey;
  readonly tokens: LinkTokens;
  readonly isNew: boolean;
}

/** Finds a stored token, and refreshes it if needed. Runs outside a transaction, because it may call the provider. */
export async function readableToken(parts: LinkTokenParts, realm: string, userId: string, alias: string): Promise<ReadToken> {
  const { db, vault, providers } = parts;
  const provider = (await providers.get(realm))?.byAlias.get(alias);
  if (!provider?.enabled || provider.config.storeTokens !== true) throw providerErrors.no_tokens();
  const key = { userId, providerId: provider.providerId };
  const began = performance.now();
  for (;;) {
    const tokens = await findLinkTokens(db, vault, realm, key);
    if (!tokens) throw providerErrors.no_tokens();
    if (tokens.expiresAt === null || tokens.expiresAt > clock.now() + MARGIN) return { key, tokens, isNew: false };
    if (tokens.refreshToken === null) throw providerErrors.token_gone();
    if (await beginRefresh(db, realm, key, tokens, LEASE))
      return { key, tokens: await refreshed(parts, provider, key, tokens), isNew: true };
    // Another request is calling the provider.
    if (performance.now() - began > PATIENCE) throw providerErrors.token_unavailable();
    await wait(LOOK_AGAIN);
  }
}

async function refreshed({ db, tools }: LinkTokenParts, provider: ProviderSnapshot, key: LinkKey, tokens: LinkTokens): Promise<LinkTokens> {
  const { realm, alias, protocol } = provider;
  try {
    const made = await askingProvider(tools, async (bounded) => brokerOf(protocol)?.refresh?.(provider, tokens, bounded));
    if (made) return made;
    throw providerErrors.token_gone();
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error;
    tools.log.warn({ err: error, realm, alias, protocol, reason: error.reason }, "a token of an identity provider could not be refreshed");
    const isRefused = error.reason === "token_refused";
    await (isRefused ? dropLinkTokens : endRefresh)(db, realm, key);
    throw isRefused ? providerErrors.token_gone() : providerErrors.token_unavailable();
  }
}
