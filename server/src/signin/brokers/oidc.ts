import { createHash } from "node:crypto";
import { type JWTPayload, jwtVerify } from "jose";
import { clock, MINUTE, SECOND } from "../../kernel/clock.ts";
import { randomToken, safeEqual } from "../../kernel/vault.ts";
import { OutboundError, type OutboundRequest } from "../../platform/outbound/index.ts";
import {
  type Endpoints,
  filledUrl,
  hostOf,
  objectOf,
  type ProviderSnapshot,
  UPSTREAM_TIMEOUT,
  UpstreamError,
} from "../identity-providers/index.ts";
import type { Broker, BrokeredIdentity, BrokerTools } from "./broker.ts";
import { authenticateTo } from "./client-auth.ts";
import { primaryAddress, type Quirks, quirksOf, saysVerified } from "./quirks.ts";

/** Every algorithm with a public key. `none`, and those by which our own secret would sign, are not among them. */
const ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA", "Ed25519"];
const SKEW = MINUTE / SECOND;

/** OpenID Connect with the authorization code flow, plain OAuth 2, and the presets. */
export const oidc: Broker = {
  async begin(provider, { redirectUri, loginHint, locale, fresh }, { upstreams }) {
    const { config, protocol } = provider;
    const quirks = quirksOf[protocol]!;
    const { authorizationUrl } = await upstreams.endpoints(provider);
    const [nonce, verifier] = [randomToken(), randomToken()];
    const url = new URL(authorizationUrl);
    const parameters: Record<string, string | null> = {
      response_type: "code",
      client_id: String(config.clientId),
      redirect_uri: redirectUri,
      scope: scopesOf(config.scopes),
      nonce: quirks.idToken ? nonce : null,
      login_hint: loginHint,
      ui_locales: quirks.idToken ? locale : null,
      prompt: fresh && quirks.idToken ? (quirks.freshPrompt ?? "login") : null,
      // OpenID Connect Core §3.1.2.1: the ID token then says when they authenticated.
      max_age: fresh && protocol === "oidc" ? "0" : null,
      ...(config.pkce === true && { code_challenge: challengeOf(verifier), code_challenge_method: "S256" }),
      ...quirks.parameters?.(provider),
    };
    for (const [name, value] of Object.entries(parameters)) if (value) url.searchParams.set(name, value);
    return {
      kept: { nonce, verifier, begunAt: clock.now(), fresh },
      to: (state) => {
        url.searchParams.set("state", state);
        return url.href;
      },
    };
  },

  async finish(provider, answer, kept, { redirectUri }, tools) {
    const quirks = quirksOf[provider.protocol]!;
    const endpoints = await tools.upstreams.endpoints(provider);
    checkIssuer(provider, endpoints, answer.iss);
    if (answer.error !== undefined)
      throw new UpstreamError(`upstream_${/^[a-z_]{1,40}$/.exec(answer.error)?.[0] ?? "error"}`, "The provider refused.");
    if (!answer.code) throw new UpstreamError("no_code", "The provider's answer has no code.");
    const tokens = await exchange(provider, endpoints, { code: answer.code, redirectUri, verifier: String(kept.verifier) }, tools);
    const signed = quirks.idToken ? await verifyIdToken(provider, endpoints, quirks, tokens.id_token, kept, tools) : {};
    const profile = await readProfile(provider, endpoints, quirks, tokens.access_token, tools);
    // OpenID Connect Core §5.3.2: a profile of somebody else is not this one's.
    if (quirks.idToken && profile !== null && profile.sub !== signed.sub)
      throw new UpstreamError("userinfo", "The provider's profile is of another user than its ID token.");
    const claims = { ...profile, ...(provider.protocol === "apple" && nameOf(answer.user)), ...signed };
    return identityOf(provider, quirks, claims);
  },
};

const scopesOf = (scopes: unknown): string => (Array.isArray(scopes) ? scopes.join(" ") : String(scopes ?? ""));
const challengeOf = (verifier: string) => createHash("sha256").update(verifier).digest("base64url");

/**
 * RFC 9207 §2.4: an answer of another issuer is not taken, nor one that does not say where this one promised to. Without a configured issuer
 * there is nothing to compare with (GitHub sent `iss` for a while without ever naming its issuer): the redirect URI tells providers apart.
 */
function checkIssuer({ config }: ProviderSnapshot, { promisesIssuer }: Endpoints, iss: string | undefined): void {
  const issuer = filledUrl(config, "issuer");
  if (iss === undefined ? promisesIssuer : issuer !== null && iss !== issuer)
    throw new UpstreamError("issuer", "The answer does not come from this provider.");
}

interface Tokens {
  readonly access_token: string;
  readonly id_token?: unknown;
}

async function exchange(
  provider: ProviderSnapshot,
  endpoints: Endpoints,
  { code, redirectUri, verifier }: { code: string; redirectUri: string; verifier: string },
  tools: BrokerTools,
): Promise<Tokens> {
  const { headers, members } = await authenticateTo(provider, endpoints);
  const form = new URLSearchParams({ grant_type: "authorization_code", code, redirect_uri: redirectUri, ...members });
  if (provider.config.pkce === true) form.set("code_verifier", verifier);
  const body = await ask(tools, endpoints.tokenUrl, "token", {
    method: "POST",
    headers: { ...headers, "content-type": "application/x-www-form-urlencoded", accept: "application/json" },
    body: form.toString(),
  });
  const tokens = objectOf(body, endpoints.tokenUrl, "token");
  // GitHub tells its errors with status 200.
  if (typeof tokens.access_token !== "string" || tokens.error !== undefined)
    throw new UpstreamError("token", "The provider did not exchange the code.");
  return tokens as unknown as Tokens;
}

/** Bounded in time and size; redirects are not followed, so neither the code nor the secret goes anywhere else. */
async function ask({ upstreams }: BrokerTools, url: string, reason: string, request: OutboundRequest): Promise<string> {
  try {
    const answer = await upstreams.outbound.fetch(url, { timeoutMs: UPSTREAM_TIMEOUT, ...request });
    if (answer.status !== 200) throw new UpstreamError(reason, `${hostOf(url)} answered with status ${answer.status}.`);
    return answer.text();
  } catch (error) {
    if (error instanceof OutboundError) throw new UpstreamError(reason, error.message, error.cause ?? error);
    throw error;
  }
}

/** OpenID Connect Core §3.1.3.7 */
async function verifyIdToken(
  provider: ProviderSnapshot,
  { jwksUrl }: Endpoints,
  quirks: Quirks,
  token: unknown,
  kept: Readonly<Record<string, unknown>>,
  { upstreams }: BrokerTools,
): Promise<JWTPayload> {
  const refuse = (message: string, cause?: unknown) => new UpstreamError("id_token", message, cause);
  if (typeof token !== "string" || jwksUrl === null) throw refuse("The provider sent no ID token.");
  const clientId = String(provider.config.clientId);
  const now = clock.now();
  const { payload } = await jwtVerify(token, upstreams.keyOf(jwksUrl), {
    ...{
      audience: clientId,
      algorithms: ALGORITHMS,
      clockTolerance: SKEW,
      currentDate: new Date(now),
      requiredClaims: ["sub", "iss", "iat", "exp"],
    },
  }).catch((error) => {
    throw error instanceof UpstreamError ? error : refuse("The ID token is not valid.", error);
  });
  const issuer = quirks.issuer?.(provider, payload) ?? filledUrl(provider.config, "issuer");
  if (payload.iss !== issuer) throw refuse("The ID token is of another issuer.");
  const isShared = Array.isArray(payload.aud) && payload.aud.length > 1;
  if (payload.azp === undefined ? isShared : payload.azp !== clientId) throw refuse("The ID token was made for another client.");
  if ((payload.iat ?? 0) > now / SECOND + SKEW) throw refuse("The ID token is from the future.");
  if (quirks.nonce && !(typeof payload.nonce === "string" && safeEqual(payload.nonce, String(kept.nonce))))
    throw refuse("The ID token belongs to another sign-in.");
  if (typeof payload.sub !== "string" || payload.sub === "") throw refuse("The ID token has no subject.");
  checkFresh(provider, payload, kept);
  return payload;
}

/** Asked to authenticate anew, a session at the provider from before does not count. */
function checkFresh(
  { protocol }: ProviderSnapshot,
  { auth_time: authTime }: JWTPayload,
  { fresh, begunAt }: Readonly<Record<string, unknown>>,
): void {
  if (fresh !== true || (authTime === undefined && protocol !== "oidc")) return;
  if (typeof authTime !== "number" || authTime < Number(begunAt) / SECOND - SKEW)
    throw new UpstreamError("stale", "The provider did not ask for a new sign-in.");
}

async function readProfile(
  provider: ProviderSnapshot,
  { userinfoUrl }: Endpoints,
  quirks: Quirks,
  accessToken: string,
  tools: BrokerTools,
): Promise<Record<string, unknown> | null> {
  if (userinfoUrl === null) return null;
  const headers = { authorization: `Bearer ${accessToken}`, accept: "application/json" };
  const url = quirks.profileUrl?.(userinfoUrl, provider, accessToken) ?? userinfoUrl;
  const profile = objectOf(await ask(tools, url, "userinfo", { headers }), url, "userinfo");
  if (quirks.emailsPath === undefined) return profile;
  const list = `${userinfoUrl}${quirks.emailsPath}`;
  let addresses: unknown;
  try {
    addresses = JSON.parse(await ask(tools, list, "userinfo", { headers }));
  } catch (error) {
    throw error instanceof UpstreamError ? error : new UpstreamError("userinfo", `${hostOf(list)} did not answer with JSON.`, error);
  }
  const email = primaryAddress(addresses);
  return { ...profile, email, email_verified: email !== null };
}

/** Apple tells the name once, beside the signed token: it is good for a greeting, and nothing in it counts for more. */
function nameOf(user: string | undefined): Record<string, unknown> {
  try {
    const { name } = JSON.parse(user ?? "{}") as { name?: { firstName?: unknown; lastName?: unknown } };
    return { given_name: name?.firstName, family_name: name?.lastName };
  } catch {
    return {};
  }
}

const textOf = (value: unknown, maxLength = 255): string | null =>
  typeof value === "string" && value !== "" && value.length <= maxLength && !/\p{Cc}/u.test(value) ? value : null;

function identityOf(provider: ProviderSnapshot, quirks: Quirks, claims: Readonly<Record<string, unknown>>): BrokeredIdentity {
  const { config } = provider;
  const refused = quirks.refuse?.(provider, claims);
  if (refused) throw new UpstreamError(refused, "The provider's user is not among those who may sign in here.");
  const subject = textOf(quirks.subject ? quirks.subject(claims, provider) : claims.sub, 1024);
  if (subject === null) throw new UpstreamError("subject", "The provider did not say who signed in.");
  const of = (member: string) => textOf(claims[String(config[member])]);
  const email = of("emailAttribute");
  const isMail = email !== null && /^[^\s@]+@[^\s@]+$/.test(email);
  const isVerified = (quirks.isVerified ?? saysVerified)(claims);
  return {
    subject,
    username: textOf(claims.preferred_username) ?? textOf(claims.login) ?? (isMail ? email : null),
    email: isMail ? email : null,
    // What is said to be verified is the claim `email`: another claim that holds an address is not.
    emailVerified: isMail && isVerified && config.emailAttribute === "email",
    firstName: of("firstNameAttribute") ?? textOf(claims.first_name),
    lastName: of("lastNameAttribute") ?? textOf(claims.last_name),
    claims,
    acr: textOf(claims.acr),
    amr: Array.isArray(claims.amr) ? claims.amr.filter((each) => typeof each === "string").slice(0, 20) : [],
  };
}
