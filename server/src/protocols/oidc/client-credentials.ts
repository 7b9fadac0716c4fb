import { randomUUID } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import type { ScopesSnapshot } from "../../applications/client-scopes/index.ts";
import type { ClientSnapshot } from "../../applications/clients/index.ts";
import { clock, SECOND } from "../../kernel/clock.ts";
import type { SigningAlg } from "../../tenancy/keys/index.ts";
import { serviceAccountClaims } from "./accounts.ts";
import { signJwt } from "./jwt.ts";
import { keptPerClient } from "./kept-per-client.ts";
import { lifetimesOf } from "./lifetimes.ts";
import type { RealmParts } from "./parts.ts";
import { type Credentials, clientWith, credentialsOf, type Form, hasFeatures, isOwnPage, isScope, plainForm } from "./plain-requests.ts";
import type { Issuer } from "./provider.ts";
import { defaultScopesFor, scopesFor } from "./scopes.ts";

// The token that machines ask for all day: a client, its secret, a scope. Whatever is not as plain as that, and whatever is to be
// refused, is left to the engine: here is only the way that ends in a token.

/** Anything else in the form is a feature that the engine knows. */
const PLAIN = new Set(["grant_type", "scope", "client_id", "client_secret"]);

export interface Asked extends Credentials {
  /** As it was sent; undefined where nothing was. */
  readonly scope: string | undefined;
}

/** What a plain request says; null: not plain. */
export function plainRequest(headers: IncomingHttpHeaders, form: Form, certificateHeader: string | null): Asked | null {
  const plain = form.grant_type === "client_credentials" ? plainForm(headers, form, PLAIN, certificateHeader) : null;
  const credentials = plain && credentialsOf(headers.authorization, plain);
  if (!credentials || (plain.scope && !isScope(plain.scope))) return null;
  return { ...credentials, scope: plain.scope || undefined };
}

/** Whom a secret belongs to that was sent in the plain way; null: the engine finds out, or says what is wrong. */
export async function plainCaller({ parts }: Issuer, headers: IncomingHttpHeaders, form: Form): Promise<ClientSnapshot | null> {
  if (hasFeatures(headers) || form.client_assertion !== undefined) return null;
  const credentials = credentialsOf(headers.authorization, form);
  return credentials && clientWith(parts, credentials);
}

/** The client, if it is one that may have a token for this; null: the engine says why not. */
export async function plainClient({ parts }: Issuer, headers: IncomingHttpHeaders, asked: Asked): Promise<ClientSnapshot | null> {
  const client = await clientWith(parts, asked);
  if (!client?.grantTypes.includes("client_credentials") || client.settings.requireDpop) return null;
  return isOwnPage(client, headers) ? client : null;
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

const mouldFor = keptPerClient(({ parts }, client, scope) => makeMould(parts, client, scope || undefined));

/** Null: a scope that the client may not have, or none that exists. */
async function makeMould(parts: RealmParts, client: ClientSnapshot, asked: string | undefined): Promise<Mould | null> {
  const { db, realm, issuer, scopesOfRealm: scopes } = parts;
  const known = [...new Set((asked ?? machineDefaults(scopes, client)).split(" "))].filter((name) => scopes.byName.has(name));
  const allowed = scopesFor(scopes, client);
  if (known.some((name) => !allowed.includes(name)) || (asked !== undefined && known.length === 0)) return null;
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

export interface MachineToken {
  /** The answer, as it goes over the wire (RFC 6749 §5.1). */
  readonly body: string;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
}

/** A token for a client in its own name. Null: the engine says why not. */
export async function machineToken(issuer: Issuer, client: ClientSnapshot, scope: string | undefined): Promise<MachineToken | null> {
  const mould = await mouldFor(issuer, client, scope ?? "");
  const { signingKeys, realm } = issuer.parts;
  const signer = mould && (await signingKeys.signer(realm.realmId, mould.alg));
  if (!signer) return null;
  const iat = Math.floor(clock.now() / SECOND);
  const exp = iat + mould.lifetime;
  const jwt = await signJwt(signer, "at+jwt", `${mould.payload},"jti":"${randomUUID()}","iat":${iat},"exp":${exp}}`);
  return { body: `{"access_token":"${jwt}",${mould.rest}`, expiresAt: exp * SECOND };
}
