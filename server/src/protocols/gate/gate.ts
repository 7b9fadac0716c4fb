import type { FastifyContextConfig, FastifyInstance, FastifyReply, FastifyRequest, onRequestAsyncHookHandler, RouteOptions } from "fastify";
import { listOf } from "../../kernel/lists.ts";
import { OAuthError } from "../../kernel/oauth-error.ts";
import type { RealmCache } from "../../platform/cache/index.ts";
import { anonymousActor } from "../../platform/context.ts";
import { asAppError, callersOf, type ErrorForm, isWrite, refuseDirtyText } from "../../platform/http/index.ts";
import type { Metrics } from "../../platform/telemetry/metrics.ts";
import { requestSource, type UnitOfWork } from "../../platform/unit-of-work.ts";
import type { DeviceProof, DeviceProver } from "../../signin/enrolled-devices/index.ts";
import { pagePath, type Visitors } from "../../signin/login/index.ts";
import { unknownRealm } from "../../tenancy/realms/index.ts";
import { authenticateClient, type ClientAuthParts } from "../client-auth/index.ts";
import { issuerOf } from "../tokens/index.ts";
import { countAdminWrite, recordDenial } from "./admin-writes.ts";
import { type CallerParts, type Callers, createCallers, type Entering, ownSession } from "./callers.ts";
import { formOf } from "./forms.ts";
import { issuerFor } from "./issuer.ts";
import { allowOrigin } from "./oauth.ts";
import { enterByToken, type PermissionTokens } from "./permission-token.ts";
import { bringsOpaqueToken, createPlans, type Plan } from "./plans.ts";
import { answerPreflights, type Declared } from "./preflights.ts";
import { deviceProofIn, schemeOf, tokenInHeader, wantsPage } from "./presented.ts";
import { challenge, noSession, refuse } from "./refusals.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** The opaque token of `registration()` and `link({ in: "header" })` callers, or null. It is empty if the header is no bearer token. */
    presentedToken: string | null;
    /** The proof of an enrolled device. */
    device: DeviceProof | null;
    /** True if the response is a page, not JSON: see `negotiated`. */
    wantsPage: boolean;
  }
}

type ErrorRenderer = (cause: unknown, request: FastifyRequest, reply: FastifyReply) => unknown;

export interface RealmGateParts extends CallerParts {
  readonly work: UnitOfWork;
  readonly visitors: Visitors;
  readonly devices: DeviceProver;
  readonly metrics: Metrics;
  /** The tokens by the kind in `token({ kind })`. */
  readonly tokens: Readonly<Record<string, PermissionTokens>>;
  /** The issuers, for client authentication. */
  readonly issuers: RealmCache<{ readonly parts: ClientAuthParts }>;
  /** The limits by the name that routes declare. A limit that counts callers runs after authentication. */
  readonly limits: Readonly<Record<string, { readonly counts: "addresses" | "callers"; readonly hook: onRequestAsyncHookHandler }>>;
  readonly errors: Readonly<Record<ErrorForm, ErrorRenderer>>;
}

const errorFormOf = (request: FastifyRequest, { errors = "problem" }: FastifyContextConfig = request.routeOptions.config): ErrorForm => {
  if (typeof errors === "string") return errors;
  return wantsPage(request, errors.otherwise) ? "page" : "problem";
};

/** Guards routes. Usage: `app.register(async (realm) => { guardRealmRoutes(realm, parts); … }, { prefix: "/realms/:realm" })`. */
export function guardRealmRoutes(app: FastifyInstance, parts: RealmGateParts): { answerPreflights(): void } {
  const callers = createCallers(parts);
  const gate = { ...parts, callers };
  for (const name of ["realm", "visitor", "client", "accessToken", "presentedToken", "device", "deviceToken"])
    app.decorateRequest(name, null);
  app.decorateRequest("wantsPage", false);
  app.decorateRequest("isCounted", false);

  const routes: Declared[] = [];
  app.addHook("onRoute", (route) => {
    // Fastify registers "/" below a prefix twice, with and without the slash, and passes the same object.
    routes.push({ url: route.url, method: route.method, route });
    guarded.add(route);
  });
  // The check runs when all plugins are loaded, because a plugin adds its declaration after this hook.
  app.addHook("onReady", async () => {
    for (const { url, route } of routes) refuseUndeclared(url, route, parts);
  });

  const planOf = createPlans(callers);
  const authenticate = async (request: FastifyRequest, reply: FastifyReply, config: FastifyContextConfig): Promise<void> => {
    const { realm: name } = request.params as { realm: string };
    const realm = parts.realms.peek(name) ?? (await parts.realms.get(name));
    request.wantsPage = errorFormOf(request, config) === "page";
    if (config.limit !== undefined) await countIn(gate, config.limit, request, reply, "addresses");
    if (!realm) throw unknownRealm();
    request.realm = realm;
    request.realmId = realm.realmId;
    const entering = { request, reply, realm, declaration: config };
    await enter(gate, entering, planOf(config));
    if (reply.sent) return;
    callers.admit(entering);
    if (config.limit !== undefined) await countIn(gate, config.limit, request, reply, "callers");
  };

  // Both hooks call back if nothing has to be awaited: for the token endpoint the promises would cost more than the checks.
  app.addHook("onRequest", (request, reply, done) => {
    const { config } = request.routeOptions;
    // Published documents are the same for every caller. Most are answered before any hook (platform/http/early-answers.ts).
    if (config.caller === undefined || config.document) return done();
    const realm = planOf(config).isOpen ? parts.realms.peek((request.params as { realm: string }).realm) : undefined;
    if (!realm) return authenticate(request, reply, config);
    request.realm = realm;
    request.realmId = realm.realmId;
    request.actor = anonymousActor(realm.realmId);
    done();
  });

  const checkBody = async (request: FastifyRequest, reply: FastifyReply, config: FastifyContextConfig) => {
    const { tokenInForm, byClient: authenticatesClient, formToken } = planOf(config);
    if (tokenInForm && isWrite(request)) await callers.byForm({ request, reply, realm: request.realm, declaration: config }, tokenInForm);
    // The client may have presented a token instead.
    if (authenticatesClient && !request.accessToken) await byClient(gate, request, reply);
    if (!formToken || !isWrite(request) || !request.visitor || config.csrfUnless?.(request)) return;
    if (hasFormToken(gate, request)) return void refuseDirtyText(request.body);
    if (!config.onStale || !request.wantsPage) throw refuse(request, "csrf");
    await config.onStale(request, reply);
    return reply;
  };

  // This hook runs before schema validation, so that authentication and CSRF errors come before those of the body.
  app.addHook("preValidation", (request, reply, done) => {
    const { config } = request.routeOptions;
    if (config.caller === undefined || config.document || !planOf(config).checksBody) return done();
    return checkBody(request, reply, config);
  });

  // This hook ensures for every route that a form of ours is never answered with a redirect to another site.
  app.addHook("onSend", (request, reply, payload, done) => {
    const isRedirect = reply.statusCode > 300 && reply.statusCode < 400 && Boolean(request.realm);
    done(null, (isRedirect && parts.visitors.leaveByPage(request, reply)) || payload);
  });

  const tokensOf = (request: FastifyRequest): PermissionTokens | undefined =>
    parts.tokens[planOf(request.routeOptions.config).permissionToken ?? ""];
  app.addHook("onResponse", (request, reply, done) => {
    if (tokensOf(request)) countAdminWrite(parts.metrics, request, reply.statusCode);
    done();
  });

  const render: ErrorRenderer = (cause, request, reply) => {
    const { config } = request.routeOptions;
    // RFC 6750 §3: a token that the handler refused gets a challenge.
    if (cause instanceof OAuthError && cause.headers["www-authenticate"] === undefined && callers.acceptedBy(config).audience)
      reply.header("www-authenticate", challengeFor(parts, request, cause));
    return parts.errors[errorFormOf(request)](cause, request, reply);
  };
  app.setErrorHandler((cause, request, reply) => {
    const tokens = tokensOf(request);
    if (!tokens) return render(cause, request, reply);
    return recordDenial(parts.work, request, asAppError(cause), tokens.resourceOf(request)).then(() => render(cause, request, reply));
  });

  return {
    answerPreflights: () => answerPreflights(app, routes),
  };
}

type Gate = RealmGateParts & { readonly callers: Callers };

async function countIn(
  { limits }: Gate,
  names: string | readonly string[],
  request: FastifyRequest,
  reply: FastifyReply,
  counts: "addresses" | "callers",
): Promise<void> {
  for (const name of listOf(names)) {
    const limit = limits[name]!;
    if (limit.counts !== counts) continue;
    await limit.hook.call(request.server, request, reply);
    if (counts === "addresses") request.isCounted = true;
  }
}

/** Authenticates the caller. Afterwards `request.actor` is set, or the reply was sent. */
async function enter(gate: Gate, entering: Entering, plan: Plan): Promise<void> {
  const { request, reply, realm } = entering;
  if (plan.isPrivate) reply.header("cache-control", "no-store");
  if (plan.permissionToken !== undefined) return enterByToken(gate.tokens[plan.permissionToken]!, entering);
  if (plan.opaqueToken) {
    // RFC 6750 §2.1: any other header is an invalid token, not an absent one.
    const presented = tokenInHeader(request);
    request.presentedToken = presented?.scheme === "bearer" ? presented.token : schemeOf(request) === null ? null : "";
    request.actor = anonymousActor(realm.realmId);
    return;
  }
  if (plan.device && schemeOf(request) === "device") {
    request.device = await gate.devices.prove(realm.realmId, deviceProofIn(request), request.url.split("?", 1)[0]!);
    request.actor = gate.devices.actorOf(realm.realmId, request.device);
    return;
  }
  if (await gate.callers.enter(entering, request.wantsPage)) return;
  if (!plan.visitor) {
    request.actor = anonymousActor(realm.realmId);
    return;
  }
  request.visitor = await gate.visitors.visitorOf(request, reply, realm);
  const { session: live } = request.visitor;
  const { session } = plan;
  request.actor = live
    ? await gate.callers.withRecency(ownSession.actorOf(live, realm.realmId), realm.realmId, live)
    : anonymousActor(realm.realmId);
  if (!session || (live && (session.judged === "by-handler" || (await gate.callers.standsFor(realm, live, request))))) return;
  if (!request.wantsPage) {
    if (live) throw await gate.callers.insufficient(live);
    throw noSession(request, plan.device ? "Device" : challenge(issuerOf(gate.baseUrl, realm.realmId), "Bearer"));
  }
  await gate.visitors.toSignIn(request, reply, { kind: "page", request: {}, returnTo: session.returnTo?.(request) ?? pagePath(request) });
}

/** RFC 6749 §2.3: authenticates a client by credentials in the header or in the form. */
async function byClient({ issuers }: Gate, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const { parts } = await issuerFor(issuers, request);
  const endpoint = parts.issuer + request.url.split("?", 1)[0]!.slice(`/realms/${request.realmId}`.length);
  reply.header("cache-control", "no-store");
  const client = await authenticateClient(parts, { headers: request.headers, form: formOf(request), endpoint, ...requestSource(request) });
  allowOrigin(request, reply, client);
  request.client = client;
}

/**
 * Checks the CSRF token in a field of our forms. It is not compared with the cookie, which pages of other realms in other tabs replace. Its
 * HMAC binds it to the session or pre-session of this realm.
 */
function hasFormToken({ csrf, callers }: Gate, request: FastifyRequest): boolean {
  const { binding, preSessions } = request.visitor;
  const rule = request.routeOptions.config.csrf;
  const { _csrf } = (request.body ?? {}) as { _csrf?: unknown };
  const sent = typeof _csrf === "string" ? _csrf : undefined;
  const bindings = rule === "sign-in-form" ? [binding, ...preSessions] : [binding];
  return bindings.some((each) => csrf.fits(sent, each)) || (rule === "form-or-header" && callers.hasHeaderToken(request, binding));
}

function challengeFor({ baseUrl }: RealmGateParts, request: FastifyRequest, { error, message, scope }: OAuthError): string {
  const issuer = issuerOf(baseUrl, (request.params as { realm: string }).realm);
  const refusal = { error, description: message, ...(scope !== undefined && { scope }) };
  return challenge(issuer, schemeOf(request) === "dpop" ? "DPoP" : "Bearer", refusal);
}

/** The routes that a gate enforces. */
const guarded = new WeakSet<RouteOptions>();

/**
 * Refuses routes outside of the gate that are more than an anonymous read. Published documents (discovery, SAML metadata) are such routes,
 * some at paths that do not begin with `/realms`. Nothing enforces their declarations. Call it before the first route is registered.
 */
export function refuseUnguardedRoutes(app: FastifyInstance): void {
  const routes: Declared[] = [];
  app.addHook("onRoute", (route) => {
    if (/\/:realm(\/|$)/.test(route.url) && !route.url.startsWith("/admin/")) routes.push({ url: route.url, method: route.method, route });
  });
  app.addHook("onReady", async () => {
    for (const { url, method, route } of routes.filter((each) => !guarded.has(each.route))) {
      refuseUndeclared(url, route, { limits: {}, audiences: {}, tokens: {} });
      const isAnonymous = callersOf(route.config ?? {}).every(({ by }) => by === "anonymous");
      if (!isAnonymous || [method].flat().some((each) => isWrite({ method: each })))
        refuseDeclaration(url, method, "more than an anonymous read, outside of the gate");
    }
  });
}

function refuseDeclaration(url: string, method: RouteOptions["method"], what: string): never {
  throw new Error(`${method} ${url} declares ${what}: see "Add a protocol endpoint" in CONTRIBUTING.md`);
}

/** Refuses an undeclared route, which would be open to anonymous callers, and a form without CSRF, which would be open to any site. */
function refuseUndeclared(
  url: string,
  { method, config = {} }: RouteOptions,
  { limits, audiences, tokens }: Pick<RealmGateParts, "limits" | "audiences" | "tokens">,
): void {
  const fail = (what: string) => refuseDeclaration(url, method, what);
  const callers = callersOf(config);
  if (callers.length === 0) fail("no caller");
  const takesCookies = callers.some((caller) => ["browser", "session", "link"].includes(caller.by) && !bringsOpaqueToken(caller));
  if (takesCookies && [method].flat().some((each) => isWrite({ method: each })) && config.csrf === undefined) fail("no csrf");
  if (config.errors === undefined) fail("no form of errors");
  for (const name of listOf(config.limit)) if (!(name in limits)) fail(`the limit ${name}, which does not exist`);
  for (const caller of callers)
    if (caller.by === "bearer" && !(caller.audience in audiences)) fail(`the audience ${caller.audience}, which does not exist`);
    else if (caller.by === "token" && !(caller.kind in tokens)) fail(`tokens of the kind ${caller.kind}, which do not exist`);
}
