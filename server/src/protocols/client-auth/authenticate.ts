import { X509Certificate } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { type ClientSnapshot, type Clients, isUsable, profileOf } from "../../applications/clients/index.ts";
import type { WorkloadCredential } from "../../applications/workload-credentials/index.ts";
import { clock } from "../../kernel/clock.ts";
import { OAuthError, oauthErrors } from "../../kernel/oauth-error.ts";
import { oncePer } from "../../kernel/once.ts";
import { type AddressRealm, certificateOf, hasAlternativeName, hasSubject, keycloakAddresses, thumbprintOf } from "../proof/index.ts";
import type { ClientActivity } from "./activity.ts";
import { type AssertionParts, isSecretOf, reasonAgainstAssertion } from "./client-assertion.ts";
import type { ClientKeys } from "./client-keys.ts";
import { type Form, type PresentedCredentials, presentedCredentials } from "./presented.ts";
import { isWorkload, verifyWorkloadToken, type WorkloadParts } from "./workload-token.ts";

export interface ClientAuthParts extends AssertionParts, WorkloadParts {
  readonly db: WorkloadParts["db"];
  readonly realm: WorkloadParts["realm"] & AddressRealm;
  readonly issuer: string;
  readonly clients: Clients;
  readonly activity: ClientActivity;
  readonly tlsClientCertHeader: string | null;
}

export interface ClientRequest {
  readonly headers: IncomingHttpHeaders;
  readonly form: Form;
  /** The URL of the endpoint, an accepted `aud` of assertions (RFC 7523 §3). */
  readonly endpoint: string;
  readonly sourceIp: string | null;
  /** The id of the request, for audit events. */
  readonly requestId?: string | undefined;
}

/** RFC 6749 §2.1: tells whether a client has no credentials. */
export const isPublic = ({ publicClient, settings }: ClientSnapshot): boolean => publicClient || settings.authMethod === "none";

/** RFC 6749 §2.3: authenticates the client by its configured method. A failure is recorded as CLIENT_LOGIN_FAILURE. */
export async function authenticateClient(parts: ClientAuthParts, request: ClientRequest): Promise<ClientSnapshot> {
  const credentials = credentialsIn(parts, request);
  if (credentials.kind === "workload") return authenticateWorkload(parts, credentials, request);
  const known = await parts.clients.get(parts.realm.realmId, credentials.clientId);
  const client = known && isUsable(known, clock.now()) ? known : null;
  if (client) refuseForeignOrigin(client, request.headers);
  const reason = client ? await reasonAgainst(parts, client, credentials, request) : "client not found";
  if (client && reason === null) return client;
  throw refusal(parts, request, credentials.clientId, client, reason);
}

function credentialsIn({ issuer }: ClientAuthParts, { headers, form }: ClientRequest): PresentedCredentials {
  try {
    return presentedCredentials(headers, form);
  } catch (error) {
    throw error instanceof OAuthError && error.error === "invalid_client" ? basicChallenge(issuer, headers, error) : error;
  }
}

function refusal(
  { realm, activity, issuer }: ClientAuthParts,
  { headers, sourceIp, requestId }: ClientRequest,
  clientId: string,
  client: ClientSnapshot | null,
  reason: string | null,
): OAuthError {
  activity.refused({ realm: realm.realmId, clientId, id: client?.id ?? null, sourceIp, requestId });
  return basicChallenge(issuer, headers, oauthErrors.invalidClient(reason ?? undefined));
}

/**
 * Authenticates a client with `federated_jwt` by a token of another issuer. The workload credential that the token matches names the
 * client, and has its own rules for age and reuse. The client then gets no more than the credential's scopes.
 */
async function authenticateWorkload(
  parts: ClientAuthParts,
  { clientId, named, assertion }: Extract<PresentedCredentials, { kind: "workload" }>,
  request: ClientRequest,
): Promise<ClientSnapshot> {
  const verified = await verifyWorkloadToken(parts, assertion, (credential) => named === undefined || credential.clientId === named);
  if (!isWorkload(verified)) throw refusal(parts, request, clientId, null, verified.reason);
  const known = await parts.clients.get(parts.realm.realmId, verified.credential.clientId);
  const client = known && isUsable(known, clock.now()) ? known : null;
  if (client) refuseForeignOrigin(client, request.headers);
  if (client?.settings.authMethod !== "federated_jwt") throw refusal(parts, request, clientId, client, MISMATCH);
  return limitedTo(client, verified.credential);
}

/** Limits the client to a credential's scopes. Returns the same object each time, because caches are keyed by the snapshot. */
export const limitedTo = (client: ClientSnapshot, credential: WorkloadCredential): ClientSnapshot => limited(client)(credential);

const limited = oncePer((client: ClientSnapshot) =>
  oncePer(({ scopes }: WorkloadCredential): ClientSnapshot => ({ ...client, scopeLimit: scopes.split(" ") })),
);

/** RFC 6749 §5.2: adds the matching challenge for a client that used the Authorization header. */
function basicChallenge(issuer: string, { authorization }: IncomingHttpHeaders, error: OAuthError): OAuthError {
  if (authorization === undefined) return error;
  const challenge = `Basic realm="${issuer}", error="${error.error}", error_description="${error.message}"`;
  return new OAuthError(error.error, error.message, { cause: error.cause, headers: { "www-authenticate": challenge } });
}

/** The error for a script of an origin that the client does not list (CORS). It cannot read the response, and nothing is consumed. */
export class ForeignOrigin extends OAuthError {}

function refuseForeignOrigin({ webOrigins, clientId }: ClientSnapshot, { origin }: IncomingHttpHeaders): void {
  if (origin !== undefined && !webOrigins.includes(origin))
    throw new ForeignOrigin("invalid_request", `origin ${origin} not allowed for client: ${clientId}`);
}

/** Returns why authentication fails, or null if it succeeds. */
async function reasonAgainst(
  parts: ClientAuthParts,
  client: ClientSnapshot,
  credentials: Exclude<PresentedCredentials, { kind: "workload" }>,
  { headers, endpoint }: ClientRequest,
): Promise<string | null> {
  const { authMethod } = client.settings;
  switch (credentials.kind) {
    case "secret":
      return !isPublic(client) && isSecretOf(client, credentials.secret, credentials.byHeader) ? null : "invalid secret provided";
    case "assertion": {
      if (authMethod !== "client_secret_jwt" && authMethod !== "private_key_jwt") return MISMATCH;
      const others = profileOf(client.settings).issuerAudience ? [] : [`${parts.issuer}/token`, endpoint];
      const audience = new Set([parts.issuer, ...others, ...others.flatMap((url) => keycloakAddresses(parts.realm, url))]);
      return reasonAgainstAssertion(parts, client, credentials.assertion, audience);
    }
    case "none":
      if (isPublic(client)) return null;
      return authMethod.endsWith("tls_client_auth") ? reasonAgainstCertificate(parts, client, headers) : MISMATCH;
  }
}

const MISMATCH = "the provided authentication mechanism does not match the registered client authentication method";

/** RFC 8705 §2: returns why the certificate is refused, or null. The proxy that terminates TLS has verified the chain. */
async function reasonAgainstCertificate(
  parts: { readonly tlsClientCertHeader: string | null; readonly clientKeys: ClientKeys },
  client: ClientSnapshot,
  headers: IncomingHttpHeaders,
): Promise<string | null> {
  const certificate = certificateOf({ headers }, parts.tlsClientCertHeader);
  if (!certificate) return "client certificate was not provided";
  if (client.settings.authMethod === "tls_client_auth")
    return isNamed(certificate, client.settings) ? null : "certificate subject value does not match the registered one";
  await parts.clientKeys.refresh(client).catch(() => false);
  return isAmong(parts.clientKeys.known(client), thumbprintOf(certificate)) ? null : "unregistered client certificate provided";
}

/** RFC 8705 §2.1.2: tells whether the certificate has the registered name. A client registers exactly one of these. */
function isNamed(certificate: X509Certificate, settings: ClientSnapshot["settings"]): boolean {
  const { tlsClientAuthSubjectDn, tlsClientAuthSanDns, tlsClientAuthSanUri, tlsClientAuthSanIp, tlsClientAuthSanEmail } = settings;
  if (tlsClientAuthSubjectDn !== null) return hasSubject(certificate, tlsClientAuthSubjectDn);
  if (tlsClientAuthSanDns !== null) return hasAlternativeName(certificate, "DNS", tlsClientAuthSanDns);
  if (tlsClientAuthSanUri !== null) return hasAlternativeName(certificate, "URI", tlsClientAuthSanUri);
  if (tlsClientAuthSanIp !== null) return hasAlternativeName(certificate, "IP Address", tlsClientAuthSanIp);
  return tlsClientAuthSanEmail !== null && hasAlternativeName(certificate, "email", tlsClientAuthSanEmail);
}

/** RFC 8705 §2.2: tells whether a self-signed certificate is among the `x5c` of the client's keys. */
const isAmong = (keys: ReturnType<ClientKeys["known"]>, thumbprint: string): boolean =>
  keys.some(({ x5c }) => typeof x5c?.[0] === "string" && thumbprintOfText(x5c[0]) === thumbprint);

function thumbprintOfText(base64: string): string | null {
  try {
    return thumbprintOf(new X509Certificate(Buffer.from(base64, "base64")));
  } catch {
    return null; // it is not a certificate, so it authenticates no client
  }
}
