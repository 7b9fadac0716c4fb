import type { FastifyRequest } from "fastify";
import type { ClientSnapshot } from "../../../applications/clients/index.ts";
import { grantConsent } from "../../../directory/consents/index.ts";
import { clock, SECOND } from "../../../kernel/clock.ts";
import { listOf } from "../../../kernel/lists.ts";
import { LOCALES, type ShownApplication } from "../../../pages/index.ts";
import type { Db } from "../../../platform/db/index.ts";
import type { SignInRequest } from "../../../signin/authenticators/index.ts";
import { interactionErrors, startInteraction, takeResult } from "../../../signin/run/index.ts";
import type { LiveSession } from "../../../signin/sessions/index.ts";
import { type AuthorizationDetail, claimsOfScopes, consentResource, consentToClaim, detailText, requestedAcr } from "../../tokens/index.ts";
import type { Interaction, InteractionAnswer, Issuer } from "../issuer.ts";
import { wasSentTo } from "./cookies.ts";

/** An interaction and the client of its authorization request. */
export interface Pending {
  readonly uid: string;
  readonly interaction: Interaction;
  readonly client: ClientSnapshot;
  /** The parameters of the authorization request. */
  readonly params: Readonly<Record<string, string | undefined>>;
}

/** Finds the pending interaction, only for the browser that has its cookie. */
export async function findPending(
  { engine, parts }: Issuer,
  uid: string,
  { cookies }: Pick<FastifyRequest, "cookies">,
  cookie: Parameters<typeof wasSentTo>[3],
): Promise<Pending> {
  const interaction = wasSentTo(parts.vault, cookies, uid, cookie) ? await engine.findInteraction(uid) : undefined;
  if (!interaction) throw interactionErrors.gone();
  const params = interaction.params as Pending["params"];
  const client = await parts.clients.get(parts.realm.realmId, String(params.client_id));
  if (!client) throw interactionErrors.gone();
  return { uid, interaction, client, params };
}

/** Returns the path at which the engine resumes the request. */
export const resumePath = (realm: string, uid: string) => `/realms/${realm}/authorize/${uid}`;
export const interactionPath = (realm: string, uid: string) => `/realms/${realm}/interaction/${uid}`;

/**
 * The reasons for a login prompt that an existing session may satisfy: the session began in another tab meanwhile, has a higher level, or
 * was started by registering. For all other reasons the user authenticates again.
 */
const SESSION_MAY_DO = ["no_session", "essential_acr", "create_prompt", "client_flow", "required_actions"];

/** Tells whether a `prompt=create` also requires a fresh sign-in, because the engine has not checked `max_age` and `prompt=login` yet. */
const needsFreshLogin = ({ params: { prompt = "", max_age }, interaction }: Pending): boolean =>
  interaction.prompt.name === "create" && (max_age !== undefined || prompt.split(" ").includes("login"));

/** Returns the sign-in that an authorization request asks for. */
export function signInRequestOf(client: ClientSnapshot, params: Pending["params"]): SignInRequest {
  const { acr, essential } = requestedAcr({ acr_values: params.acr_values, claims: claimsIn(params) });
  return {
    clientId: client.clientId,
    application: applicationOf(client),
    loginHint: params.login_hint,
    identityProvider: params.idp_hint,
    flow: client.settings.browserFlow ?? undefined,
    acr: acr ?? undefined,
    acrEssential: essential,
    ...(params.redirect_uri !== undefined && { callbacks: [params.redirect_uri] }),
  };
}

/** Returns the requested claims. The engine has parsed the parameter before, so it is valid JSON. */
const claimsIn = ({ claims }: Pending["params"]): Parameters<typeof requestedAcr>[0]["claims"] =>
  typeof claims === "string" ? JSON.parse(claims) : claims;

/** The error that the client gets for a failed sign-in. */
const REFUSALS: Readonly<Record<string, string>> = {
  access_denied: "the user did not sign in",
  unmet_authentication_requirements: "the requested authentication could not be obtained",
};

/** Returns the client as pages show it. */
export const applicationOf = ({ name, clientId, settings }: ClientSnapshot): ShownApplication => ({
  name: name ?? clientId,
  ...{ logoUrl: settings.logoUri, policyUrl: settings.policyUri, termsUrl: settings.tosUri },
});

/** Starts a sign-in for the request and returns its id. */
export async function askToSignIn(
  db: Db,
  realm: string,
  pending: Pending,
  { browser, switchAccount = false }: { readonly browser: string; readonly switchAccount?: boolean },
): Promise<string> {
  const { client, params, uid, interaction } = pending;
  const request: SignInRequest = {
    ...signInRequestOf(client, params),
    reauthenticate:
      switchAccount || needsFreshLogin(pending) || interaction.prompt.reasons.some((reason) => !SESSION_MAY_DO.includes(reason)),
  };
  return beginSignIn(db, realm, uid, browser, request);
}

/** Begins a sign-in whose result answers the prompt, either with a session or with an error for the client. */
const beginSignIn = (db: Db, realm: string, uid: string, browser: string, request: SignInRequest): Promise<string> =>
  startInteraction(
    { tx: db, realm, now: clock.now() },
    { kind: "oidc", browser, request: { ...request }, returnTo: (signIn) => `${resumePath(realm, uid)}?interaction=${signIn}` },
  );

/** Asks for recent authentication, which consent to offline access needs. Afterwards the engine asks for consent again. */
export async function askForRecentSignIn(db: Db, realm: string, { client, params, uid }: Pending, browser: string): Promise<string> {
  const { acr, acrEssential, ...asked } = signInRequestOf(client, params);
  const request = { ...asked, recent: true } satisfies SignInRequest;
  return beginSignIn(db, realm, uid, browser, request);
}

/** Returns the path of the sign-in page, in the language that the visitor chose or the client requests. */
export function signInPath(realm: string, pending: Pending, signIn: string, chosen: string | undefined): string {
  const query = new URLSearchParams({ interaction: signIn, ...languageFor(pending, chosen) });
  return `/realms/${realm}/${pending.interaction.prompt.name === "create" ? "register" : "login"}?${query}`;
}

/** OpenID Connect Core §3.1.2.1: returns a language of `ui_locales`, unless the visitor has chosen one. */
function languageFor({ params: { ui_locales } }: Pending, chosen: string | undefined): { lang?: string } {
  const wish = chosen === undefined ? ui_locales?.split(" ").map((tag) => tag.split("-")[0]!.toLowerCase()) : undefined;
  const lang = wish?.find((tag) => (LOCALES as readonly string[]).includes(tag));
  return lang === undefined ? {} : { lang };
}

/** OpenID Connect Core §3.1.2.1: returns the sign-in if it was after the request. It also answers `select_account` and `create`. */
export function loginSince(session: LiveSession, since: number): InteractionAnswer {
  const ts = Math.floor(session.authTime / SECOND);
  if (ts < since) return {};
  return { login: { accountId: session.userId, ts, acr: session.acr, amr: [...session.amr] }, select_account: {}, create: {} };
}

/** Returns the answer to the prompt, from the result of the sign-in. */
export async function signedIn(
  db: Db,
  realm: string,
  { interaction }: Pending,
  session: LiveSession | null,
  signIn: string,
  preSessions: readonly string[],
): Promise<InteractionAnswer> {
  const { result } = await takeResult({ tx: db, realm, now: clock.now() }, signIn, preSessions);
  if (typeof result?.error === "string") {
    const { error } = result;
    return { error, ...(REFUSALS[error] !== undefined && { error_description: REFUSALS[error] }) };
  }
  if (!session) throw interactionErrors.gone();
  // If another session began meanwhile, only a sign-in after the request counts: see engine/models/interaction.ts.
  return loginSince(session, result?.sessionId === session.sessionId ? 0 : interaction.iat);
}

/** The content of the consent page. */
export interface ConsentRequest {
  readonly scopes: readonly string[];
  readonly claims: readonly string[];
  /** Authorization details (RFC 9396), one text each. The user decides about all of a detail. */
  readonly details: readonly string[];
}

export function consentRequest({ parts: { scopesOfRealm } }: Issuer, { params, interaction }: Pending): ConsentRequest {
  const scopes = (params.scope ?? "").split(" ").filter((name) => scopesOfRealm.byName.has(name));
  const covered = claimsOfScopes(scopesOfRealm, scopes);
  const { missingOIDCClaims, rar } = interaction.prompt.details as { missingOIDCClaims?: string[]; rar?: AuthorizationDetail[] };
  return {
    scopes,
    claims: (missingOIDCClaims ?? []).filter((claim) => !covered.has(claim)),
    details: (rar ?? []).map(detailText),
  };
}

/** Returns the requested resources in their registered spelling. Without `resource`, the engine has filled in the realm itself. */
export const resourcesOf = ({ params }: Pending): readonly string[] => listOf(params.resource as string | string[] | undefined);

/** Stores the user's consent (directory/consents) and answers the prompt. */
export async function allow(request: FastifyRequest, issuer: Issuer, pending: Pending, session: LiveSession): Promise<void> {
  const { scopes } = consentRequest(issuer, pending);
  const { missingOIDCClaims = [] } = pending.interaction.prompt.details as { missingOIDCClaims?: string[] };
  await request.transact(async (ctx) => {
    await issuer.parts.clients.store(ctx, pending.client);
    for (const resource of resourcesOf(pending))
      await grantConsent(
        ctx,
        { userId: session.userId, clientId: pending.client.clientId, resource: consentResource(issuer.parts, resource) },
        [...scopes, ...missingOIDCClaims.map(consentToClaim)],
      );
  });
  await issuer.engine.answer({ interaction: pending.interaction, session, answer: { consent: {} } });
}

/** Records in the audit trail that a user without access tried to use the client. */
export const recordNoAccess = (request: FastifyRequest, { client }: Pending): Promise<void> =>
  request.transact(async (ctx) =>
    ctx.audit({
      ...{ category: "AUTHN", type: "LOGIN_FAILURE", outcome: "FAILURE", resourceType: "clients", resourceId: client.id },
      detail: "the user may not use this client",
    }),
  );
