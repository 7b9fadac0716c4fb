import { createHash } from "node:crypto";
import type { JWTPayload } from "jose";
import { clock, SECOND } from "../../kernel/clock.ts";
import { CLOCK_SKEW } from "../../kernel/jwt-claims.ts";
import { nameOf } from "../../kernel/text.ts";
import { randomToken, safeEqual } from "../../kernel/vault.ts";
import type { Broker, BrokeredIdentity, BrokerTools } from "../brokers/broker.ts";
import type { UpstreamSession } from "../brokers/brokered-sessions.store.ts";
import { addressOf, idOf, lineOf } from "../brokers/storable.ts";
import type { ProviderSnapshot } from "../providers/provider.ts";
import { verifyIdentityAssertion } from "./identity-assertion.ts";
import { readLogoutToken } from "./logout-token.ts";
import { callProvider, type Endpoints, filledUrl, objectOf, UpstreamError } from "./metadata.ts";
import { primaryAddress, type Quirks, saysVerified } from "./quirks.ts";
import { linkTokensOf, requestTokens } from "./tokens.ts";
import { verifyUpstreamJwt } from "./upstream-jwt.ts";

/** OpenID Connect with the authorization code flow, or OAuth 2 alone, adapted by the quirks of one provider. */
export const oidcBroker = (quirks: Quirks): Broker => ({
  async begin(provider, { redirectUri, loginHint, locale, acr, fresh }, { upstreams }) {
    const { config } = provider;
    const { authorizationUrl } = await upstreams.endpoints(provider);
    const [nonce, verifier] = [randomToken(), randomToken()];
    const url = new URL(authorizationUrl);
    const forwarded = config.forwardParameters as readonly string[];
    const passedOn = (name: string, value: string | null) => (forwarded.includes(name) ? value : null);
    const prompt = passedOn("prompt", fresh && quirks.idToken ? (quirks.freshPrompt ?? "login") : null);
    const parameters: Record<string, string | null> = {
      response_type: "code",
      client_id: String(config.clientId),
      redirect_uri: redirectUri,
      scope: scopesOf(config.scopes),
      nonce: quirks.idToken ? nonce : null,
      login_hint: passedOn("login_hint", loginHint),
      ui_locales: passedOn("ui_locales", quirks.idToken ? locale : null),
      acr_values: passedOn("acr_values", quirks.idToken ? acrValuesOf(config, acr) : null),
      prompt,
      // OpenID Connect Core §3.1.2.1: with `max_age` the ID token contains `auth_time`.
      max_age: fresh && quirks.asksForAuthTime ? "0" : null,
      ...(config.pkce === true && { code_challenge: challengeOf(verifier), code_challenge_method: "S256" }),
      ...quirks.parameters?.(provider),
    };
    for (const [name, value] of Object.entries(parameters)) if (value) url.searchParams.set(name, value);
    return {
      kept: { nonce, verifier, begunAt: clock.now(), fresh, isPrompted: prompt !== null },
      to: (state) => {
        url.searchParams.set("state", state);
        return url.href;
      },
    };
  },

  async finish(provider, answer, kept, { redirectUri }, tools) {
    const endpoints = await tools.upstreams.endpoints(provider);
    checkIssuer(provider, endpoints, answer.iss);
    if (answer.error !== undefined)
      throw new UpstreamError(`upstream_${/^[a-z_]{1,40}$/.exec(answer.error)?.[0] ?? "error"}`, "The provider refused.");
    if (!answer.code) throw new UpstreamError("no_code", "The provider's answer has no code.");
    const { config } = provider;
    const tokens = await requestTokens(
      ...[provider, endpoints, quirks],
      {
        ...{ grant_type: "authorization_code", code: answer.code, redirect_uri: redirectUri },
        ...(config.pkce === true && { code_verifier: String(kept.verifier) }),
      },
      tools,
    );
    const signed = quirks.idToken ? await verifyIdToken(provider, endpoints, quirks, tokens.id_token, kept, tools) : {};
    if (!quirks.idToken) checkFresh(provider, signed, kept);
    const identityWith = (profile: Record<string, unknown> | null): BrokeredIdentity => {
      // OpenID Connect Core §5.3.2: the profile must have the same subject.
      if (quirks.idToken && profile !== null && profile.sub !== signed.sub)
        throw new UpstreamError("userinfo", "The provider's profile is of another user than its ID token.");
      const claims = { ...quirks.answerClaims?.(answer), ...joined(profile, signed) };
      return {
        ...identityOf(provider, quirks, claims),
        session: sessionOf(provider, endpoints, signed, tokens.id_token),
        ...(config.storeTokens === true && { tokens: linkTokensOf(tokens) }),
      };
    };
    const complete = async () => identityWith(await readProfile(provider, endpoints, quirks, tokens.access_token, tools));
    return quirks.idToken && endpoints.userinfoUrl !== null ? { ...identityWith(null), complete } : complete();
  },

  /** RFC 6749 §6 */
  async refresh(provider, tokens, tools) {
    const endpoints = await tools.upstreams.endpoints(provider);
    const grant = { grant_type: "refresh_token", refresh_token: tokens.refreshToken ?? "" };
    return linkTokensOf(await requestTokens(provider, endpoints, quirks, grant, tools), tokens);
  },

  /** OpenID Connect RP-Initiated Logout 1.0 §2 */
  async signOut(provider, { logout: idToken }, { returnTo, state }, tools) {
    if (provider.config.logoutUpstream !== true) return null;
    const { logoutUrl } = await tools.upstreams.endpoints(provider);
    if (logoutUrl === null) return null;
    tools.upstreams.outbound.checkUrl(logoutUrl);
    const url = new URL(logoutUrl);
    const parameters = { client_id: String(provider.config.clientId), post_logout_redirect_uri: returnTo, state };
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
    if (idToken !== null) url.searchParams.set("id_token_hint", idToken);
    return { location: url.href };
  },

  readLogoutToken: (provider, token, tools) => readLogoutToken(provider, quirks, token, tools),

  async readIdentityAssertion(provider, jwt, audience, tools) {
    const claims = await verifyIdentityAssertion(provider, quirks, jwt, audience, tools);
    return identityOf(provider, quirks, claims);
  },
});

/** The maximum length of an ID token as a hint: servers on the way would refuse a longer logout address. */
const MAX_HINT = 6_000;

/** Keeps the ID token only if a logout can use it. */
function sessionOf({ config }: ProviderSnapshot, { logoutUrl }: Endpoints, { sid }: JWTPayload, idToken: unknown): UpstreamSession {
  const isHint = config.logoutUpstream === true && logoutUrl !== null && typeof idToken === "string" && idToken.length <= MAX_HINT;
  return { id: idOf(sid), logout: isHint ? idToken : null };
}

/** Requests two factors by the provider's own values, if the configuration lists them. */
function acrValuesOf({ multiFactorAcr }: ProviderSnapshot["config"], acr: string | null): string | null {
  const words = multiFactorAcr as readonly string[];
  return acr === "2" && words.length > 0 ? words.join(" ") : acr;
}

const scopesOf = (scopes: unknown): string => (Array.isArray(scopes) ? scopes.join(" ") : String(scopes ?? ""));
const challengeOf = (verifier: string) => createHash("sha256").update(verifier).digest("base64url");

/**
 * RFC 9207 §2.4: refuses an answer of another issuer, and an answer without `iss` if the provider promises it. Without a configured issuer there is nothing to
 * compare with (GitHub sent `iss` for a while without ever naming its issuer): the redirect URI tells providers apart.
 */
function checkIssuer({ config }: ProviderSnapshot, { promisesIssuer }: Endpoints, iss: string | undefined): void {
  const issuer = filledUrl(config, "issuer");
  if (iss === undefined ? promisesIssuer : issuer !== null && iss !== issuer)
    throw new UpstreamError("issuer", "The answer does not come from this provider.");
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
  const { payload } = await verifyUpstreamJwt(upstreams, token, {
    jwksUrl,
    audience: clientId,
    alg: String(provider.config.signedResponseAlg),
    required: ["sub", "iss", "iat", "exp"],
    invalid: (cause) => refuse("The ID token is not valid.", cause),
  });
  const issuer = quirks.issuer?.(provider, payload) ?? filledUrl(provider.config, "issuer");
  if (payload.iss !== issuer) throw refuse("The ID token is from another issuer.");
  const isShared = Array.isArray(payload.aud) && payload.aud.length > 1;
  if (payload.azp === undefined ? isShared : payload.azp !== clientId) throw refuse("The ID token was made for another client.");
  if (quirks.nonce && !(typeof payload.nonce === "string" && safeEqual(payload.nonce, String(kept.nonce))))
    throw refuse("The ID token belongs to another sign-in.");
  if (typeof payload.sub !== "string" || payload.sub === "") throw refuse("The ID token has no subject.");
  checkFresh(provider, payload, kept);
  return payload;
}

/**
 * If a new sign-in was requested, refuses an earlier session at the provider, and a session without `auth_time`. With `trustPrompt`, a `prompt` that was sent
 * is enough instead of `auth_time`.
 */
function checkFresh(
  { config }: ProviderSnapshot,
  { auth_time: authTime }: JWTPayload,
  { fresh, isPrompted, begunAt }: Readonly<Record<string, unknown>>,
): void {
  if (fresh !== true || (authTime === undefined && config.trustPrompt === true && isPrompted === true)) return;
  if (typeof authTime !== "number" || authTime < Number(begunAt) / SECOND - CLOCK_SKEW)
    throw new UpstreamError("stale", "The provider did not ask for a new sign-in.");
}

async function readProfile(
  provider: ProviderSnapshot,
  endpoints: Endpoints,
  quirks: Quirks,
  accessToken: string,
  tools: BrokerTools,
): Promise<Record<string, unknown> | null> {
  const { userinfoUrl } = endpoints;
  if (userinfoUrl === null) return null;
  const headers = { authorization: `Bearer ${accessToken}`, accept: "application/json, application/jwt;q=0.5" };
  const read = (url: string) => callProvider(tools.upstreams.outbound, url, "userinfo", { headers });
  const url = quirks.profileUrl?.(userinfoUrl, provider, accessToken) ?? userinfoUrl;
  const answer = await read(url);
  if (/^application\/jwt\b/i.test(answer.headers["content-type"] ?? ""))
    return verifyProfile(provider, endpoints, quirks, answer.text(), tools);
  const profile = objectOf(answer.text(), url, "userinfo");
  if (quirks.profileClaims) return { ...profile, ...quirks.profileClaims(profile) };
  if (quirks.emailsPath === undefined) return profile;
  const email = primaryAddress((await read(`${userinfoUrl}${quirks.emailsPath}`)).text());
  return { ...profile, email, email_verified: email !== null };
}

/** OpenID Connect Core §5.3.2: verifies signed userinfo, which may omit its issuer, audience and times. */
async function verifyProfile(
  provider: ProviderSnapshot,
  { jwksUrl }: Endpoints,
  quirks: Quirks,
  token: string,
  { upstreams }: BrokerTools,
): Promise<Record<string, unknown>> {
  const refuse = (message: string, cause?: unknown) => new UpstreamError("userinfo", message, cause);
  if (jwksUrl === null) throw refuse("The provider has no keys for its signed profile.");
  const { payload } = await verifyUpstreamJwt(upstreams, token.trim(), {
    jwksUrl,
    audience: String(provider.config.clientId),
    alg: String(provider.config.signedResponseAlg),
    required: ["sub"],
    isLasting: true,
    invalid: (cause) => refuse("The provider's signed profile is not valid.", cause),
  });
  const issuer = quirks.issuer?.(provider, payload) ?? filledUrl(provider.config, "issuer");
  if (payload.iss !== undefined && payload.iss !== issuer) throw refuse("The provider's signed profile is from another issuer.");
  return payload;
}

/** Joins profile and ID token; the ID token takes precedence. `email_verified` applies only to the address in the same document. */
function joined(profile: Readonly<Record<string, unknown>> | null, signed: JWTPayload): Readonly<Record<string, unknown>> {
  const claims: Record<string, unknown> = { ...profile, ...signed };
  if (profile === null || signed.email === profile.email) return claims;
  return { ...claims, email_verified: (signed.email === undefined ? profile : signed).email_verified };
}

function identityOf(provider: ProviderSnapshot, quirks: Quirks, claims: Readonly<Record<string, unknown>>): BrokeredIdentity {
  const { config } = provider;
  const refused = quirks.refuse?.(provider, claims);
  if (refused) throw new UpstreamError(refused, "The provider's user is not among those who may sign in here.");
  const subject = idOf(quirks.subject ? quirks.subject(claims, provider) : claims.sub);
  if (subject === null) throw new UpstreamError("subject", "The provider did not say who signed in.");
  const named = (member: string) => nameOf(claims[String(config[member])]);
  const email = addressOf(lineOf(claims[String(config.emailAttribute)]));
  const isVerified = (quirks.isVerified ?? saysVerified)(claims);
  return {
    subject,
    username: lineOf(claims.preferred_username) ?? lineOf(claims.login) ?? email,
    email,
    // `email_verified` applies to the claim `email`, not to another claim that holds an address.
    emailVerified: email !== null && isVerified && config.emailAttribute === "email",
    firstName: named("firstNameAttribute") ?? nameOf(claims.first_name),
    lastName: named("lastNameAttribute") ?? nameOf(claims.last_name),
    claims,
    acr: lineOf(claims.acr),
    amr: Array.isArray(claims.amr) ? claims.amr.filter((each) => typeof each === "string").slice(0, 20) : [],
  };
}
