import { randomUUID } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import type { ScopesSnapshot } from "../../applications/client-scopes/index.ts";
import type { ClientSnapshot } from "../../applications/clients/index.ts";
import { clock, SECOND } from "../../kernel/clock.ts";
import type { Signer, SigningAlg } from "../../tenancy/keys/index.ts";
import { serviceAccountClaims } from "./accounts.ts";
import { isSecretOf, takesSecret } from "./client.ts";
import { lifetimesOf } from "./lifetimes.ts";
import type { RealmParts } from "./parts.ts";
import type { Issuer } from "./provider.ts";
import { defaultScopesFor, scopesFor } from "./scopes.ts";

// The token that machines ask for all day: a client, its secret, a scope. Whatever is not as plain as that, and whatever is to be
// refused, is left to the engine: here is only the way that ends in a token.

type Form = Readonly<Record<string, string | string[] | undefined>>;

/** Anything else in the form is a feature that the engine knows. */
const PLAIN = new Set(["grant_type", "scope", "client_id", "client_secret"]);
/** RFC 9449, and the draft on attestation of clients. */
const FEATURES = ["dpop", "oauth-client-attestation", "oauth-client-attestation-pop", "origin"];
const BY_SECRET: ReadonlySet<string> = new Set(["client_secret", "client_secret_basic", "client_secret_post"]);
/** RFC 6749 §3.3 */
const SCOPE = /^[\x21\x23-\x5B\x5D-\x7E]+(?: [\x21\x23-\x5B\x5D-\x7E]+)*$/;

export interface Asked {
  readonly clientId: string;
  readonly secret: string;
  /** Otherwise by the form. */
  readonly byHeader: boolean;
  /** As it was sent; undefined where nothing was. */
  readonly scope: string | undefined;
}

/** What a plain request says; null: not plain. */
export function plainRequest(headers: IncomingHttpHeaders, form: Form, certificateHeader: string | null): Asked | null {
  if (form.grant_type !== "client_credentials") return null;
  if (FEATURES.some((name) => headers[name] !== undefined)) return null;
  if (certificateHeader !== null && headers[certificateHeader] !== undefined) return null;
  for (const [name, value] of Object.entries(form)) if (!PLAIN.has(name) || typeof value !== "string") return null;
  const { scope } = form as Readonly<Record<string, string | undefined>>;
  const credentials = credentialsOf(headers.authorization, form);
  if (!credentials || (scope && !SCOPE.test(scope))) return null;
  return { ...credentials, scope: scope || undefined };
}

type Credentials = Pick<Asked, "clientId" | "secret" | "byHeader">;

/** RFC 6749 §2.3: one way of authentication, and one client. */
function credentialsOf(authorization: string | undefined, { client_id, client_secret }: Form): Credentials | null {
  if (Array.isArray(client_id) || Array.isArray(client_secret)) return null;
  if (authorization === undefined)
    return client_id && client_secret ? { clientId: client_id, secret: client_secret, byHeader: false } : null;
  const credentials = client_secret === undefined ? inHeader(authorization) : null;
  return (client_id ?? credentials?.clientId) === credentials?.clientId ? credentials : null;
}

/** RFC 6749 §2.3.1: both are encoded as in a form, then joined. */
function inHeader(authorization: string): Credentials | null {
  const [, encoded] = /^basic ([A-Za-z0-9+/]+={0,2})$/i.exec(authorization) ?? [];
  if (encoded === undefined) return null;
  const pair = Buffer.from(encoded, "base64").toString("utf8");
  const at = pair.indexOf(":");
  const [clientId, secret] = at < 1 ? [null, null] : [decoded(pair.slice(0, at)), decoded(pair.slice(at + 1))];
  return clientId && secret ? { clientId, secret, byHeader: true } : null;
}

function decoded(text: string): string | null {
  if (!/[%+]/.test(text)) return text;
  try {
    return decodeURIComponent(text.replaceAll("+", "%20"));
  } catch {
    return null; // the engine says what is wrong with it
  }
}

/** Whom a secret belongs to that was sent in the plain way; null: the engine finds out, or says what is wrong. */
export async function plainCaller({ parts }: Issuer, headers: IncomingHttpHeaders, form: Form): Promise<ClientSnapshot | null> {
  if (FEATURES.some((name) => headers[name] !== undefined) || form.client_assertion !== undefined) return null;
  const credentials = credentialsOf(headers.authorization, form);
  return credentials && clientWith(parts, credentials);
}

async function clientWith({ clients, realm }: RealmParts, { clientId, secret, byHeader }: Credentials): Promise<ClientSnapshot | null> {
  const client = await clients.get(realm.realmId, clientId);
  if (!client?.enabled || client.publicClient || !BY_SECRET.has(client.settings.authMethod)) return null;
  return takesSecret(client, byHeader) && isSecretOf(client, secret) ? client : null;
}

/** The client, if it is one that may have a token for this; null: the engine says why not. */
export async function plainClient({ parts }: Issuer, asked: Asked): Promise<ClientSnapshot | null> {
  const client = await clientWith(parts, asked);
  return client?.grantTypes.includes("client_credentials") && !client.settings.requireDpop ? client : null;
}

/** Those that stand for a person have no meaning for a machine unless it names them. */
const ABOUT_PEOPLE: ReadonlySet<string> = new Set(["openid", "offline_access"]);

/** Decision 7: what a machine gets that names no scope. */
export const machineDefaults = (scopes: ScopesSnapshot, client: ClientSnapshot): string =>
  defaultScopesFor(scopes, client)
    .filter((name) => !ABOUT_PEOPLE.has(name))
    .join(" ");

/** What is the same in all tokens of a client for one scope, until its realm's configuration changes. */
interface Mould {
  readonly alg: SigningAlg;
  readonly lifetime: number;
  /** The payload without its last members and its closing brace. */
  readonly payload: string;
  /** The answer after the token. */
  readonly rest: string;
}

const moulds = new WeakMap<Issuer, WeakMap<ClientSnapshot, Map<string, Promise<Mould | null>>>>();
/** A client that asks for its scopes in ever new orders makes them anew, and fills no memory. */
const MAX_MOULDS = 32;

function mouldFor(issuer: Issuer, client: ClientSnapshot, scope: string | undefined): Promise<Mould | null> {
  const ofIssuer = moulds.get(issuer) ?? new WeakMap<ClientSnapshot, Map<string, Promise<Mould | null>>>();
  moulds.set(issuer, ofIssuer);
  const ofClient = ofIssuer.get(client) ?? new Map<string, Promise<Mould | null>>();
  ofIssuer.set(client, ofClient);
  const key = scope ?? "";
  const known = ofClient.get(key);
  if (known) return known;
  const made = makeMould(issuer.parts, client, scope);
  if (ofClient.size >= MAX_MOULDS) ofClient.clear();
  ofClient.set(key, made);
  made.catch(() => ofClient.get(key) === made && ofClient.delete(key));
  return made;
}

/** Null: a scope that the client may not have. */
async function makeMould(parts: RealmParts, client: ClientSnapshot, asked: string | undefined): Promise<Mould | null> {
  const { db, realm, issuer, scopesOfRealm: scopes } = parts;
  const known = [...new Set((asked ?? machineDefaults(scopes, client)).split(" "))].filter((name) => scopes.byName.has(name));
  const allowed = scopesFor(scopes, client);
  if (known.some((name) => !allowed.includes(name))) return null;
  const scope = known.join(" ") || undefined;
  const lifetime = lifetimesOf(realm.settings, client).accessToken;
  const alg = client.settings.accessTokenAlg ?? realm.settings.tokens.signingAlg;
  const { audience } = client.settings;
  const payload = {
    ...(await serviceAccountClaims({ db, realm: realm.realmId, scopes }, client, scope ?? "")),
    sub: client.clientId,
    scope,
    client_id: client.clientId,
    iss: issuer,
    aud: audience.length > 0 ? [...new Set([issuer, ...audience])] : issuer,
  };
  const rest = JSON.stringify({ expires_in: lifetime, scope, token_type: "Bearer" });
  return { alg, lifetime, payload: JSON.stringify(payload).slice(0, -1), rest: rest.slice(1) };
}

const headers = new WeakMap<Signer, string>();

/** RFC 9068 §2.1, encoded. */
function headerFor(signer: Signer): string {
  let header = headers.get(signer);
  if (header === undefined) {
    header = base64url(JSON.stringify({ alg: signer.alg, typ: "at+jwt", kid: signer.kid }));
    headers.set(signer, header);
  }
  return header;
}

const base64url = (text: string): string => Buffer.from(text, "utf8").toString("base64url");

export interface MachineToken {
  /** The answer, as it goes over the wire (RFC 6749 §5.1). */
  readonly body: string;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
}

/** A token for a client in its own name. Null: the engine says why not. */
export async function machineToken(issuer: Issuer, client: ClientSnapshot, scope: string | undefined): Promise<MachineToken | null> {
  const mould = await mouldFor(issuer, client, scope);
  const { signingKeys, realm } = issuer.parts;
  const signer = mould && (await signingKeys.signer(realm.realmId, mould.alg));
  if (!signer) return null;
  const iat = Math.floor(clock.now() / SECOND);
  const exp = iat + mould.lifetime;
  const signed = `${headerFor(signer)}.${base64url(`${mould.payload},"jti":"${randomUUID()}","iat":${iat},"exp":${exp}}`)}`;
  const signature = await signer.sign(Buffer.from(signed, "latin1"));
  return { body: `{"access_token":"${signed}.${signature.toString("base64url")}",${mould.rest}`, expiresAt: exp * SECOND };
}
