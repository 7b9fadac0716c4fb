import { hash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import type { ClientSnapshot } from "../../applications/clients/index.ts";
import { clock, MINUTE } from "../../kernel/clock.ts";
import { safeEqual, sha256 } from "../../kernel/vault.ts";
import { awakeFor, keepSessionAwake } from "../../signin/sessions/index.ts";
import { findWithGrant, replaceByRefreshToken } from "./adapter/exchange.store.ts";
import type { LiveGrant } from "./adapter/grants.store.ts";
import { consumeRecord, type StoredRecord } from "./adapter/records.store.ts";
import { type ExchangeTokens, makeTokens, type TokenSource } from "./exchange.tokens.ts";
import { clientWith, credentialsOf, type Form, isOwnPage, isScope, plainForm, publicClient } from "./plain-requests.ts";
import type { Issuer } from "./provider.ts";

// What applications ask for all day: tokens for a code, and new ones for a refresh token. As with client-credentials.ts, here is only the
// way that ends in tokens. Whatever is not plain, was used before, has ended or does not fit is left to the engine, which looks again.

interface AskedForCode {
  readonly grantType: "authorization_code";
  readonly value: string;
  readonly redirectUri: string;
  readonly verifier: string | undefined;
}
interface AskedForRefresh {
  readonly grantType: "refresh_token";
  readonly value: string;
  /** Undefined: all of it. */
  readonly scope: string | undefined;
}
type Wanted = AskedForCode | AskedForRefresh;

const CLIENT = ["grant_type", "client_id", "client_secret"];
const OF_CODE = new Set([...CLIENT, "code", "redirect_uri", "code_verifier"]);
const OF_REFRESH = new Set([...CLIENT, "refresh_token", "scope"]);

type Members = Readonly<Record<string, string | undefined>>;

/** Null: not plain. */
export function plainExchange(
  headers: IncomingHttpHeaders,
  form: Form,
  certificateHeader: string | null,
): (Wanted & { form: Members }) | null {
  const grantType = form.grant_type;
  if (grantType !== "authorization_code" && grantType !== "refresh_token") return null;
  const plain = plainForm(headers, form, grantType === "refresh_token" ? OF_REFRESH : OF_CODE, certificateHeader);
  if (!plain || Object.values(plain).includes("")) return null;
  const { code, redirect_uri: redirectUri, code_verifier: verifier, refresh_token: token, scope } = plain;
  if (grantType === "refresh_token")
    return token !== undefined && (scope === undefined || isScope(scope)) ? { grantType, value: token, scope, form: plain } : null;
  return code !== undefined && redirectUri !== undefined ? { grantType, value: code, redirectUri, verifier, form: plain } : null;
}

/** Who asks, if they may ask for this: by their secret, or by their name alone where they have none. */
async function callerOf({ parts }: Issuer, headers: IncomingHttpHeaders, { grantType, form }: Wanted & { form: Members }) {
  const { authorization } = headers;
  const credentials = credentialsOf(authorization, form);
  const isNamed = authorization === undefined && form.client_secret === undefined && form.client_id !== undefined;
  const client = credentials ? await clientWith(parts, credentials) : isNamed ? await publicClient(parts, form.client_id!) : null;
  if (!client?.grantTypes.includes(grantType) || client.settings.requireDpop) return null;
  return isOwnPage(client, headers) ? client : null;
}

const MODEL = { authorization_code: "AuthorizationCode", refresh_token: "RefreshToken" } as const;

export interface ExchangeAnswer {
  readonly client: ClientSnapshot;
  /** As it goes over the wire (RFC 6749 §5.1). */
  readonly body: string;
  /** How many tokens it holds. */
  readonly tokens: number;
}

/** Null: the engine answers. Nothing has been used up then. */
export async function exchange(
  issuer: Issuer,
  headers: IncomingHttpHeaders,
  asked: NonNullable<ReturnType<typeof plainExchange>>,
): Promise<ExchangeAnswer | null> {
  const { db, realm } = issuer.parts;
  const client = await callerOf(issuer, headers, asked);
  if (!client) return null;
  const used = { model: MODEL[asked.grantType], recordId: sha256(asked.value) };
  const found = await findWithGrant(db, { realm: realm.realmId, ...used }, clock.now());
  const source = found?.grant && sourceOf(issuer, client, found.record, found.grant, asked);
  if (!found?.grant || !source) return null;
  // Signed first: if that fails, nobody has lost their token.
  const tokens = await makeTokens(issuer, client, source, found.grant);
  if (!tokens || !(await settle(issuer, client, used, tokens))) return null;
  if (asked.grantType === "refresh_token") await keepAwake(issuer, found.grant);
  return answerOf(client, tokens);
}

/** What the engine stores with a code or a refresh token; any other member is a feature that it knows. */
const COMMON = [
  "iat",
  "exp",
  "kind",
  "clientId",
  "accountId",
  "acr",
  "amr",
  "authTime",
  "grantId",
  "nonce",
  "resource",
  "scope",
  "sessionUid",
  "sid",
];
const IN_CODE = new Set([...COMMON, "codeChallenge", "codeChallengeMethod", "redirectUri"]);
const IN_REFRESH_TOKEN = new Set([...COMMON, "gty", "rotations", "iiat"]);
/** Refresh tokens that come from a code, before and after their first use. */
const FROM_CODES: ReadonlySet<unknown> = new Set(["authorization_code", "authorization_code refresh_token"]);

/** What tokens are made of; null: it is not what was asked for, or not plain. */
function sourceOf(issuer: Issuer, client: ClientSnapshot, record: StoredRecord, grant: LiveGrant, asked: Wanted): TokenSource | null {
  const payload = record.payload as unknown as TokenSource & Record<string, unknown>;
  const isCode = asked.grantType === "authorization_code";
  const members = isCode ? IN_CODE : IN_REFRESH_TOKEN;
  const fits =
    record.consumedAt === null &&
    payload.kind === MODEL[asked.grantType] &&
    payload.clientId === client.clientId &&
    grant.clientId === client.clientId &&
    payload.accountId === grant.userId &&
    payload.grantId === grant.grantId &&
    payload.resource === issuer.parts.issuer &&
    typeof payload.scope === "string" &&
    Object.keys(payload).every((name) => members.has(name)) &&
    Object.keys(grant.payload.rejected ?? {}).length === 0;
  if (!fits) return null;
  if (isCode) return isForAsker(client, payload, asked) ? { ...payload, asked: undefined } : null;
  if (!FROM_CODES.has(payload.gty)) return null;
  const held = new Set(payload.scope.split(" "));
  return asked.scope === undefined || asked.scope.split(" ").every((name) => held.has(name)) ? { ...payload, asked: asked.scope } : null;
}

/** RFC 6749 §4.1.3 and RFC 7636 §4.6. A client that has no secret must have announced a verifier. */
function isForAsker(client: ClientSnapshot, code: Readonly<Record<string, unknown>>, { redirectUri, verifier }: AskedForCode): boolean {
  const { codeChallenge: challenge, codeChallengeMethod: method } = code;
  if (code.redirectUri !== redirectUri) return false;
  if (challenge === undefined) return verifier === undefined && client.settings.authMethod !== "none" && !client.publicClient;
  if (typeof challenge !== "string" || method !== "S256" || verifier === undefined || !/^[\w.~-]{43,128}$/.test(verifier)) return false;
  return safeEqual(challenge, hash("sha256", verifier, "base64url"));
}

/** Uses up what was brought, and keeps the next refresh token in the same moment. False: somebody was faster, or the grant has ended. */
async function settle(
  { parts: { db, realm } }: Issuer,
  client: ClientSnapshot,
  used: { readonly model: string; readonly recordId: string },
  { refresh }: ExchangeTokens,
): Promise<boolean> {
  const now = clock.now();
  if (!refresh) return consumeRecord(db, { realm: realm.realmId, ...used }, now);
  const record = {
    realm: realm.realmId,
    model: MODEL.refresh_token,
    recordId: sha256(refresh.token),
    payload: refresh.payload,
    grantId: refresh.payload.grantId,
    clientId: client.clientId,
    userCode: null,
    expiresAt: refresh.expiresAt,
  };
  try {
    return await replaceByRefreshToken(db, used, record, now);
  } catch (error) {
    if ((error as { constraint?: string }).constraint === "oidc_records_grant") return false;
    throw error;
  }
}

/** Whoever refreshes is still there, whether or not their browser asks us anything. */
async function keepAwake({ parts: { db, realm } }: Issuer, { sessionId, seenAt }: LiveGrant): Promise<void> {
  const idleMs = realm.settings.sessions.idleMinutes * MINUTE;
  const now = clock.now();
  if (sessionId !== null && seenAt !== null && seenAt <= now - awakeFor(idleMs))
    await keepSessionAwake(db, realm.realmId, sessionId, idleMs, now);
}

function answerOf(client: ClientSnapshot, { access, id, refresh, expiresIn, scope }: ExchangeTokens): ExchangeAnswer {
  const idToken = id === null ? "" : `,"id_token":"${id}"`;
  const refreshToken = refresh === null ? "" : `,"refresh_token":"${refresh.token}"`;
  return {
    client,
    body: `{"access_token":"${access}","expires_in":${expiresIn}${idToken}${refreshToken},"scope":${JSON.stringify(scope)},"token_type":"Bearer"}`,
    tokens: 1 + Number(id !== null) + Number(refresh !== null),
  };
}
