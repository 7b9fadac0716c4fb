import type { EventEmitter } from "node:events";
import { LRUCache } from "lru-cache";
import { Provider } from "oidc-provider";
import { issuerOf, scopesFor } from "../../tokens/index.ts";
import { ACR_VALUES } from "../authorize/acr.ts";
import { responseTypesOf } from "../capabilities.ts";
import type { OidcParts, RealmParts } from "../parts.ts";
import { configurationOf, routes } from "./configuration.ts";
import { findClients } from "./models/client.ts";
import { findGrants } from "./models/grant.ts";
import { followSession } from "./models/interaction.ts";
import { viewSessions } from "./models/session.ts";
import { makeTokensHere } from "./models/tokens.ts";
import { rememberParts } from "./realm-of.ts";
import { limitStrangers } from "./requests/anonymous-limit.ts";
import { authenticateClientsHere } from "./requests/client-authentication.ts";
import { limitDeviceRequests } from "./requests/device-limit.ts";
import { refineScopeCheck } from "./requests/scopes.ts";
import { tellWhenUnavailable } from "./responses/error-page.ts";
import { guardAnswerPages } from "./responses/form-post-page.ts";
import { keepGivenAtOnce } from "./responses/front-channel-response.ts";
import { signInAtOnce } from "./responses/sign-in-redirect.ts";
import { demandRedirectUri, refuseUnauthorizedClients, translateErrors } from "./steps.ts";

// Before the first Provider is made, which takes the steps as they are then.
demandRedirectUri();
refuseUnauthorizedClients();
refineScopeCheck();
authenticateClientsHere();
translateErrors();

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
  const provider = new Provider(issuer, configurationOf(parts));
  rememberParts(provider, parts);
  answerOnly(provider, Object.values(routes));
  limitDeviceRequests(provider, parts);
  limitStrangers(provider, parts);
  findGrants(provider, { db, realm: realm.realmId });
  viewSessions(provider, parts);
  followSession(provider);
  findClients(provider, {
    realm: realm.realmId,
    clients: parts.clients,
    scopesFor: (client) => scopesFor(scopesOfRealm, client),
    responseTypes: new Set(responseTypesOf(realm)),
    acrValues: ACR_VALUES,
    authorizationDetailsTypes: realm.settings.tokens.authorizationDetailsTypes,
    defaultAlg: realm.settings.tokens.signingAlg,
    log,
  });
  takeAddressesFrom(provider, parts.baseUrl);
  makeTokensHere(provider, parts);
  guardAnswerPages(provider);
  keepGivenAtOnce(provider, { db, realm: realm.realmId });
  signInAtOnce(provider, parts);
  countTokens(provider, parts);
  (provider as EventEmitter).on("error", (err) =>
    log.error({ err, realm: realm.realmId }, "an answer of the OIDC engine could not be sent"),
  );
  provider.on("server_error", (ctx, err) => {
    tellWhenUnavailable(ctx, err);
    log.error({ err, realm: realm.realmId, path: ctx.path }, "the OIDC engine failed");
  });
  return { provider, handle: provider.callback() };
}

/** The engine has more endpoints than it is asked for here, `/token` among them: what is answered elsewhere is not answered by it. */
function answerOnly(provider: Provider, paths: readonly string[]): void {
  provider.use((ctx, next) =>
    paths.some((path) => ctx.path === path || (path === routes.authorization && ctx.path.startsWith(`${path}/`))) ? next() : undefined,
  );
}

/** Never from Host or X-Forwarded-*: those are whatever the caller says. */
function takeAddressesFrom(provider: Provider, baseUrl: string): void {
  provider.OIDCContext.prototype.urlFor = (name: string, options?: Record<string, unknown>) => provider.urlFor(name, options);
  const protocol = new URL(baseUrl).protocol.slice(0, -1);
  Object.defineProperty(provider.request, "protocol", { get: () => protocol });
  Object.defineProperty(provider.request, "secure", { get: () => protocol === "https" });
}

/** `svc_tokens_issued_total`: the tokens of authorization responses. */
function countTokens(provider: Provider, { metrics, realm }: RealmParts): void {
  provider.on("authorization.success", (_ctx, answer) => {
    const count = ["access_token", "id_token"].filter((name) => Object.hasOwn(Object(answer), name)).length;
    if (count > 0) metrics.tokens(realm.realmId, count, "implicit");
  });
}
