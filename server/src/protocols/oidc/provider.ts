import type { EventEmitter } from "node:events";
import { LRUCache } from "lru-cache";
import { type Client, Provider } from "oidc-provider";
import { clock, SECOND } from "../../kernel/clock.ts";
import { sha256 } from "../../kernel/vault.ts";
import { isFirst } from "./adapter/records.store.ts";
import { guardAnswerPages } from "./answer-page.ts";
import { findClients, snapshotOf } from "./client.ts";
import { watchMachines } from "./client-credentials.engine.ts";
import { ACR_VALUES, configurationOf } from "./configuration.ts";
import { metadataOf } from "./engine.ts";
import { responseTypesOf } from "./front-channel.ts";
import { keepGivenAtOnce } from "./given-at-once.ts";
import { findGrants } from "./grant.ts";
import { registerGrants } from "./grants/index.ts";
import { signInAtOnce } from "./interactions/at-once.ts";
import { followSession } from "./interactions/other-user.ts";
import { engineKeys } from "./keys.ts";
import { issuerOf, type OidcParts, type RealmParts } from "./parts.ts";
import { defaultScopesFor, scopesFor, setDefaultScopes } from "./scopes.ts";
import { viewSessions } from "./session.ts";
import { limitStrangers } from "./strangers.ts";

/** A realm's issuer, as it is configured at this moment. */
export interface Issuer {
  readonly parts: RealmParts;
  readonly provider: Provider;
  readonly handle: ReturnType<Provider["callback"]>;
  /** Which configuration it was made from. */
  readonly version: string;
}

export interface Issuers {
  /** Null for a realm that does not exist. */
  get(realm: string): Promise<Issuer | null>;
  /** What `get` would answer, where that is at hand. */
  peek(realm: string): Issuer | undefined;
}

/** As many as there are realms in the caches. */
const MAX_ISSUERS = 2_000;
/** One takes about 100 KiB; the others are made again in a millisecond or two, by the first request that needs one. */
const MAX_ENGINES = 1_000;

type Engine = Pick<Issuer, "provider" | "handle">;

/** One engine per realm in use, made anew when its realm's configuration has changed. */
export function createIssuers(parts: OidcParts): Issuers {
  const kept = new LRUCache<string, Issuer>({ max: MAX_ISSUERS });
  const engines = new LRUCache<Issuer, Engine>({ max: MAX_ENGINES });
  const makeIssuer = (ofRealm: RealmParts, version: string): Issuer => {
    const engine = (): Engine => {
      const known = engines.get(issuer) ?? makeEngine(ofRealm);
      engines.set(issuer, known);
      return known;
    };
    const issuer: Issuer = {
      parts: ofRealm,
      version,
      get provider() {
        return engine().provider;
      },
      get handle() {
        return engine().handle;
      },
    };
    return issuer;
  };
  const peek = (name: string): Issuer | undefined => {
    const known = kept.get(name);
    // These are immutable and kept until they change: the same make the same issuer.
    const isCurrent =
      known?.parts.realm === parts.realms.peek(name) &&
      known?.parts.scopesOfRealm === parts.scopes.peek(name) &&
      known?.parts.offered === parts.provisioning.peek(name)?.offered;
    return isCurrent ? known : undefined;
  };
  return {
    peek,
    async get(name) {
      const [realm, scopesOfRealm, policy] = await Promise.all([
        parts.realms.get(name),
        parts.scopes.get(name),
        parts.provisioning.get(name),
      ]);
      if (!realm || !scopesOfRealm) return null;
      const { offered = {} } = policy ?? {};
      const version = `${realm.configVersion}/${scopesOfRealm.configVersion}`;
      const known = kept.get(name);
      if (known && known.parts.realm === realm && known.parts.scopesOfRealm === scopesOfRealm && known.parts.offered === offered)
        return known;
      const made = makeIssuer({ ...parts, realm, scopesOfRealm, offered, issuer: issuerOf(parts.baseUrl, name) }, version);
      if (known) engines.delete(known);
      kept.set(name, made);
      return made;
    },
  };
}

function makeEngine(parts: RealmParts): Engine {
  const { db, log, realm, issuer, scopesOfRealm } = parts;
  const keys = engineKeys(parts.signingKeys, realm);
  const provider = new Provider(issuer, configurationOf(parts, keys));
  keys.settle();
  registerGrants(provider, parts);
  limitStrangers(provider, parts);
  findGrants(provider, { db, realm: realm.realmId });
  viewSessions(provider, { db, realm });
  followSession(provider);
  findClients(provider, {
    realm: realm.realmId,
    clients: parts.clients,
    scopesFor: (client) => scopesFor(scopesOfRealm, client),
    grantTypes: new Set(metadataOf(provider).grant_types_supported as string[]),
    responseTypes: new Set(responseTypesOf(realm)),
    acrValues: ACR_VALUES,
    authorizationDetailsTypes: realm.settings.tokens.authorizationDetailsTypes,
    defaultAlg: realm.settings.tokens.signingAlg,
    log,
  });
  setDefaultScopes(provider, (ctx) => defaultScopesFor(scopesOfRealm, snapshotOf(ctx.oidc.client as Client)));
  tellOurWay(provider, parts);
  guardAnswerPages(provider);
  keepGivenAtOnce(provider, { db, realm: realm.realmId });
  signInAtOnce(provider, parts);
  countTokens(provider, parts);
  watchMachines(provider, parts);
  (provider as EventEmitter).on("error", (err) =>
    log.error({ err, realm: realm.realmId }, "an answer of the OIDC engine could not be sent"),
  );
  provider.on("server_error", (ctx, err) => log.error({ err, realm: realm.realmId, path: ctx.path }, "the OIDC engine failed"));
  return { provider, handle: provider.callback() };
}

/** Where the engine would look at the request, it is told by the configuration; what it would do by itself, we do. */
function tellOurWay(provider: Provider, { db, baseUrl, realm, subjectOf }: RealmParts): void {
  // Never from Host or X-Forwarded-*: those are whatever the caller says.
  provider.OIDCContext.prototype.urlFor = (name: string, options?: Record<string, unknown>) => provider.urlFor(name, options);
  const protocol = new URL(baseUrl).protocol.slice(0, -1);
  Object.defineProperty(provider.request, "protocol", { get: () => protocol });
  Object.defineProperty(provider.request, "secure", { get: () => protocol === "https" });

  const replays = provider.ReplayDetection as unknown as { unique(iss: string, jti: string, exp: number): Promise<boolean> };
  replays.unique = (iss, jti, exp) =>
    isFirst(
      db,
      { realm: realm.realmId, model: "ReplayDetection", recordId: sha256(JSON.stringify([iss, jti])) },
      Math.max(exp * SECOND, clock.now() + SECOND),
    );

  // Which claims go into an ID token is said by mappers, and `sub` by the client's strategy: the engine's own filter would not know either.
  const idToken = provider.IdToken.prototype as unknown as {
    available: Record<string, unknown>;
    extra: Record<string, unknown>;
    client: Client;
    payload(): Promise<Record<string, unknown>>;
  };
  idToken.payload = async function () {
    const { sub, ...available } = this.available;
    return {
      ...available,
      ...(typeof sub === "string" && { sub: await subjectOf(realm.realmId, snapshotOf(this.client), sub) }),
      ...this.extra,
    };
  };
}

/** `svc_tokens_issued_total`: every answer that gave tokens. */
function countTokens(provider: Provider, { metrics, realm }: RealmParts): void {
  provider.on("grant.success", (ctx) => metrics.tokens(realm.realmId, tokensIn(ctx.body), String(ctx.oidc.params?.grant_type)));
  provider.on("authorization.success", (_ctx, answer) => {
    if (tokensIn(answer) > 0) metrics.tokens(realm.realmId, tokensIn(answer), "implicit");
  });
}

const tokensIn = (body: unknown): number =>
  ["access_token", "id_token", "refresh_token"].filter((name) => Object.hasOwn(Object(body), name)).length;
