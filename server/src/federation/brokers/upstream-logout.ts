import type { Logger } from "pino";
import { randomToken, type Vault } from "../../kernel/vault.ts";
import type { Ctx } from "../../platform/context.ts";
import type { Db } from "../../platform/db/index.ts";
import { OutboundError } from "../../platform/outbound/index.ts";
import { UpstreamError } from "../oidc/metadata.ts";
import { brokerOf } from "../providers/protocols.ts";
import type { ProviderSnapshot } from "../providers/provider.ts";
import type { BrokerTools, UpstreamHop, UpstreamLogoutNotice } from "./broker.ts";
import { type BrokeredSession, brokeredSessionsOf, sessionsByProvider } from "./brokered-sessions.store.ts";
import { insertUpstreamLogout, useLogoutToken } from "./logouts.store.ts";
import { askingProvider, type BrokerParts } from "./parts.ts";

export interface UpstreamLogoutParts {
  readonly db: Db;
  readonly vault: Vault;
  readonly brokers: BrokerParts;
  readonly baseUrl: string;
}

/** A logout that continues at the providers that the session came from, one after the other. */
type PreparedLogout = readonly [PreparedHop, ...PreparedHop[]];

interface PreparedHop {
  readonly alias: string;
  readonly providerId: string;
  readonly state: string;
  readonly hop: UpstreamHop;
}

const pathOf = (realm: string, alias: string) => `/realms/${realm}/broker/${encodeURIComponent(alias)}`;

/** Prepares a logout before the session ends, and outside a transaction, because it may call the provider. Returns null if the logout ends here. */
export async function prepareUpstreamLogout(
  { db, vault, brokers, baseUrl }: UpstreamLogoutParts,
  realm: string,
  sessionId: string,
): Promise<PreparedLogout | null> {
  const sessions = await brokeredSessionsOf(db, vault, realm, sessionId);
  if (sessions.length === 0) return null;
  const known = [...((await brokers.providers.get(realm))?.byAlias.values() ?? [])];
  const prepared = await Promise.all(sessions.map(prepare));
  const [first, ...others] = prepared.filter((each) => each !== null);
  return first ? [first, ...others] : null;

  async function prepare(session: BrokeredSession): Promise<PreparedHop | null> {
    const provider = known.find(({ providerId }) => providerId === session.providerId);
    const broker = provider?.enabled ? brokerOf(provider.protocol) : null;
    if (!provider || !broker?.signOut) return null;
    const { alias, providerId } = provider;
    const state = randomToken();
    const returnTo = `${baseUrl}${pathOf(realm, alias)}/endpoint/logout_response`;
    try {
      const hop = await askingProvider(brokers.tools, async (tools) => broker.signOut!(provider, session, { returnTo, state }, tools));
      return hop && { alias, providerId, state, hop };
    } catch (error) {
      // The user is signed out here in any case.
      if (!(error instanceof UpstreamError) && !(error instanceof OutboundError)) throw error;
      warn(brokers.tools.log, provider, error, "a logout does not go on at the identity provider");
      return null;
    }
  }
}

/** Records the logout in the transaction that ends the session. Returns the path to continue at, from provider to provider and finally to `next`. */
export async function recordUpstreamLogout(
  ctx: Ctx,
  vault: Vault,
  prepared: PreparedLogout,
  { browser, next: last }: { readonly browser: string; readonly next: string },
): Promise<string> {
  let next = last;
  for (const { alias, providerId, state, hop } of prepared.toReversed()) {
    await insertUpstreamLogout(ctx.tx, vault, ctx.realm, { state, browser, providerId, hop, next }, ctx.now);
    next = `${pathOf(ctx.realm, alias)}/logout?${new URLSearchParams({ state })}`;
  }
  return next;
}

/** Verifies a logout token and returns the session or subject that it names. Returns null if the token is not valid. */
export async function readUpstreamLogout(
  provider: ProviderSnapshot,
  token: string,
  tools: BrokerTools,
): Promise<UpstreamLogoutNotice | null> {
  const broker = brokerOf(provider.protocol);
  try {
    return (await askingProvider(tools, async (bounded) => broker?.readLogoutToken?.(provider, token, bounded))) ?? null;
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error;
    warn(tools.log, provider, error, "a logout token was refused");
    return null;
  }
}

/** Returns the sessions to end, in the transaction that ends them. Returns null if the token was used before. */
export async function sessionsToEnd(ctx: Ctx, { providerId }: ProviderSnapshot, notice: UpstreamLogoutNotice): Promise<string[] | null> {
  if (!(await useLogoutToken(ctx.tx, ctx.realm, { providerId, ...notice }))) return null;
  return sessionsByProvider(ctx.tx, ctx.realm, providerId, notice);
}

const warn = (log: Logger, { realm, alias, protocol }: ProviderSnapshot, err: unknown, message: string) =>
  log.warn({ err, realm, alias, protocol }, message);
