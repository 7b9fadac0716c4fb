import type { EventEmitter } from "node:events";
import { Provider } from "oidc-provider";
import { countTokens } from "../../tokens/index.ts";
import { paths } from "../capabilities.ts";
import type { RealmParts } from "../parts.ts";
import { configurationOf } from "./configuration.ts";
import { setRealmParts } from "./context.ts";
import { overrideClients } from "./models/client.ts";
import { overrideGrants } from "./models/grant.ts";
import { overrideInteractions } from "./models/interaction.ts";
import { overrideSessions } from "./models/session.ts";
import { overrideTokens } from "./models/tokens.ts";
import { overrideClientAuthentication } from "./requests/client-authentication.ts";
import { openRequestObjects } from "./requests/encrypted-request.ts";
import { limitStoredRequests } from "./requests/limits.ts";
import { refuseUnsignedResponses } from "./requests/profile.ts";
import { refineScopeCheck, spellResources } from "./requests/resources.ts";
import { answerUnavailable } from "./responses/error-page.ts";
import { guardFormPostPages, leaveByPages } from "./responses/leaving-page.ts";
import { redirectToSignIn, storeFrontChannelGrants } from "./responses/sign-in-redirect.ts";
import { checkResumed, refuseUnauthorizedClients, requireRedirectUri, translateErrors } from "./steps.ts";

// These patches come before the first Provider is created, which copies the steps.
requireRedirectUri();
refuseUnauthorizedClients();
checkResumed();
refineScopeCheck();
spellResources();
refuseUnsignedResponses();
openRequestObjects();
overrideClientAuthentication();
translateErrors();

/** The engine of one realm. */
export interface RealmEngine {
  readonly provider: Provider;
  readonly callback: ReturnType<Provider["callback"]>;
}

export function makeEngine(parts: RealmParts): RealmEngine {
  const { log, realm } = parts;
  const provider = new Provider(parts.issuer, configurationOf(parts));
  setRealmParts(provider, parts);
  // This comes first, so that it sees the responses of all the others.
  leaveByPages(provider, parts);
  answerOnly(provider, Object.values(paths));
  limitStoredRequests(provider, parts);
  overrideGrants(provider, parts);
  overrideSessions(provider, parts);
  overrideInteractions(provider);
  overrideClients(provider, parts);
  takeAddressesFrom(provider, parts.baseUrl);
  overrideTokens(provider, parts);
  guardFormPostPages(provider);
  storeFrontChannelGrants(provider, parts);
  redirectToSignIn(provider, parts);
  provider.on("authorization.success", (_ctx, response) => countTokens(parts, "implicit", { ...response }));
  (provider as EventEmitter).on("error", (err) =>
    log.error({ err, realm: realm.realmId }, "an answer of the OIDC engine could not be sent"),
  );
  provider.on("server_error", (ctx, err) => {
    answerUnavailable(ctx, err);
    log.error({ err, realm: realm.realmId, path: ctx.path }, "the OIDC engine failed");
  });
  return { provider, callback: provider.callback() };
}

/** Limits the engine to these endpoints: it has more, such as `/token`, which other rooms own. */
function answerOnly(provider: Provider, endpoints: readonly string[]): void {
  provider.use((ctx, next) =>
    endpoints.some((path) => ctx.path === path || (path === paths.authorization && ctx.path.startsWith(`${path}/`))) ? next() : undefined,
  );
}

/** Takes URLs from the configured base URL, never from Host or X-Forwarded-*, which the caller controls. */
function takeAddressesFrom(provider: Provider, baseUrl: string): void {
  provider.OIDCContext.prototype.urlFor = (name: string, options?: Record<string, unknown>) => provider.urlFor(name, options);
  const protocol = new URL(baseUrl).protocol.slice(0, -1);
  Object.defineProperty(provider.request, "protocol", { get: () => protocol });
  Object.defineProperty(provider.request, "secure", { get: () => protocol === "https" });
}
