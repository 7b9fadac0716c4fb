import type { Scopes } from "../../applications/client-scopes/index.ts";
import * as clients from "../../applications/clients/index.ts";
import { readSubjectClaim } from "../../applications/subject-claim/index.ts";
import { clock, SECOND } from "../../kernel/clock.ts";
import { isId, newId } from "../../kernel/ids.ts";
import { randomToken, safeEqual, sha256 } from "../../kernel/vault.ts";
import { actorOf, anonymousActor, type Ctx } from "../../platform/context.ts";
import { type Db, lockRealm } from "../../platform/db/index.ts";
import { type Outbound, OutboundError } from "../../platform/outbound/index.ts";
import type { RequestSource, UnitOfWork } from "../../platform/unit-of-work.ts";
import { invalidMetadata, registrationErrors } from "./errors.ts";
import type { ClientMetadata, RegisteredClient, RegistrationRequest, RegistrationUpdate } from "./metadata/metadata.schema.ts";
import { toClientState, toMetadata, toNewState } from "./metadata/metadata.ts";
import { findUsableToken, takeUse } from "./provisioning/initial-tokens.store.ts";
import { enforcePolicy, type Has, hasAlready, refuseInwardAddresses } from "./provisioning/policy.ts";
import { type ProvisioningSnapshots, registrationUri } from "./provisioning/provisioning.service.ts";

export interface RegistrationTools extends clients.ClientTools {
  readonly db: Db;
  readonly work: UnitOfWork;
  readonly scopes: Scopes;
  readonly outbound: Outbound;
  readonly provisioning: ProvisioningSnapshots;
  readonly mtlsBaseUrl: string | null;
}

/** The caller of a registration endpoint. */
export interface Caller {
  readonly realm: string;
  /** The presented token, or null. */
  readonly token: string | null;
  readonly from: RequestSource;
}

/** The authorization of a registration. */
export interface Admission {
  readonly tokenHash: string | null;
  /** The actor's name in the audit trail. */
  readonly name: string;
}

/** Authorizes a registration. It comes first, so that an unauthorized caller learns nothing about its metadata. */
export async function admit(tools: RegistrationTools, { realm, token }: Caller): Promise<Admission> {
  const policy = await openPolicy(tools, realm);
  if (token === null && !policy.requireInitialAccessToken) return { tokenHash: null, name: "anonymous" };
  const tokenHash = sha256(token ?? "");
  const known = token === null ? null : await findUsableToken(tools.db, realm, tokenHash, clock.now());
  // A presented token must be valid, even if the realm allows anonymous registration.
  if (!known) throw registrationErrors.invalid_token();
  return { tokenHash, name: `initial access token ${known.name ?? known.id}` };
}

/** Registers a client (RFC 7591 §3.1). */
export async function register(
  tools: RegistrationTools,
  { realm, from }: Caller,
  { tokenHash, name }: Admission,
  metadata: RegistrationRequest,
): Promise<RegisteredClient> {
  const has = hasAlready(null);
  (await policyOf(tools, realm)).judge(metadata, has);
  await checkAddresses(tools, metadata, has);
  const accessToken = randomToken();
  const { requireConsent } = await openPolicy(tools, realm);
  const input = { ...toClientState(metadata), clientId: newId(), consentRequired: requireConsent, claimsInIdToken: false };
  return tools.work.transact({ realm, actor: anonymousActor(realm, name), ...from }, async (ctx) => {
    if (tokenHash !== null && !(await takeUse(ctx.tx, realm, tokenHash, ctx.now))) throw registrationErrors.invalid_token();
    const { client } = await clients.createClient(ctx, tools, input, { registrationHash: sha256(accessToken) });
    return answer(tools, ctx.tx, client, accessToken);
  });
}

/** RFC 7592 §2.1: reads a registration. The token remains the same. */
export const readRegistration = (tools: RegistrationTools, { token }: Caller, known: clients.ClientRow): Promise<RegisteredClient> =>
  answer(tools, tools.db, known, token!);

/** RFC 7592 §2.2: replaces a registration, with a new registration access token. */
export async function replaceRegistration(
  tools: RegistrationTools,
  caller: Caller,
  known: clients.ClientRow,
  { client_id, client_secret, ...metadata }: RegistrationUpdate,
): Promise<RegisteredClient> {
  if (client_id !== known.clientId) throw invalidMetadata("client_id", "client_id must be that of the client, and cannot be changed");
  const [secret] = clients.openSecrets(tools.vault, known.realmId, known.id, known.sealed);
  if (client_secret !== undefined && !(secret && safeEqual(secret.value, client_secret)))
    throw invalidMetadata("client_secret", "client_secret must be the present one, or be left out: the server chooses it");
  const policy = await policyOf(tools, caller.realm);
  const { strategy } = await readSubjectClaim({ tx: tools.db, realm: caller.realm });
  await checkAddresses(tools, metadata, hasAlready(toMetadata(stateOf(known), strategy)));
  return asItself(tools, caller, known, async (ctx) => {
    const accessToken = await nextToken(ctx, caller, known);
    // The client is read while it is locked: it must not keep a value that an administrator removes concurrently.
    const current = stateOf(await clients.readClient(ctx, known.id));
    policy.judge(metadata, hasAlready(toMetadata(current, strategy)));
    const state = toNewState(current, metadata, strategy);
    const { client } = await clients.saveClient(ctx, tools, known.id, state);
    return answer(tools, ctx.tx, client, accessToken);
  });
}

/** RFC 7592 §2.3: deletes a registration. */
export async function removeRegistration(tools: RegistrationTools, caller: Caller, known: clients.ClientRow): Promise<void> {
  await asItself(tools, caller, known, async (ctx) => {
    // The realm is locked before the client, as everywhere that roles change.
    await lockRealm(ctx.tx, ctx.realm);
    await nextToken(ctx, caller, known);
    await clients.removeClient(ctx, tools, known.id);
  });
}

/** Reads the policy before the transaction in which it judges. */
async function policyOf(tools: RegistrationTools, realm: string) {
  const policy = await openPolicy(tools, realm);
  const scopes = await tools.scopes.get(realm);
  const ownAddresses = [tools.baseUrl, tools.mtlsBaseUrl].filter((address) => address !== null);
  return { judge: (metadata: ClientMetadata, has: Has) => enforcePolicy(policy, { scopes, ownAddresses, has }, metadata) };
}

/** Checks addresses outside of the transaction, because it sends requests to other hosts. */
async function checkAddresses({ outbound }: RegistrationTools, metadata: ClientMetadata, has: Has): Promise<void> {
  refuseInwardAddresses(outbound, has, metadata);
  const { sector_identifier_uri: sector, redirect_uris = [] } = metadata;
  const isKnown = has("sector_identifier_uri", sector) && redirect_uris.every((uri) => has("redirect_uris", uri));
  if (!isKnown) await checkSector(outbound, metadata);
}

async function openPolicy({ provisioning }: RegistrationTools, realm: string) {
  const { registration } = (await provisioning.get(realm)) ?? {};
  if (!registration?.enabled) throw registrationErrors.disabled();
  return registration;
}

/**
 * Authenticates a client. A wrong token, an unknown client and one that registration cannot manage get the same error, which discloses
 * nothing. The previous token remains valid until the current one is used, because the response may have been lost.
 */
export async function authenticate({ db }: RegistrationTools, { realm, token }: Caller, id: string): Promise<clients.ClientRow> {
  const client = isId(id) && token !== null ? await clients.findClient(db, realm, id) : null;
  const is = (hash: string | null) => hash !== null && safeEqual(hash, sha256(token!));
  const [isPresent, isPrevious] = client ? [is(client.registrationHash), is(client.previousRegistrationHash)] : [false, false];
  if (!client || !(isPresent || isPrevious)) throw registrationErrors.invalid_token();
  if (!client.enabled) throw registrationErrors.client_disabled();
  if (isPresent && client.previousRegistrationHash !== null) await clients.forgetPreviousRegistrationHash(db, client);
  return client;
}

/** Replaces the token and locks the client until commit. Only one of concurrent requests with the same token continues. */
async function nextToken(ctx: Ctx, { token }: Caller, known: clients.ClientRow): Promise<string> {
  const accessToken = randomToken();
  if (!(await clients.exchangeRegistrationHash(ctx.tx, known, sha256(token!), sha256(accessToken))))
    throw registrationErrors.invalid_token();
  return accessToken;
}

/** Runs work as the client itself, with the permissions of its service account. */
async function asItself<T>(
  tools: RegistrationTools,
  caller: Caller,
  client: clients.ClientRow,
  work: (ctx: Ctx) => Promise<T>,
): Promise<T> {
  const { realm, from } = caller;
  const permissions = new Set<string>(await clients.findServiceAccountPermissions(tools.db, realm, client.id));
  const actor = actorOf({ kind: "client", id: client.id, name: client.clientId, realm, permissions });
  return tools.work.transact({ realm, actor, ...from }, work);
}

const stateOf = (row: clients.ClientRow): clients.Client => {
  const { version: _, ...client } = clients.showClient(row);
  return client;
};

/** Makes the response of RFC 7591 §3.2.1. */
async function answer(
  { vault, baseUrl }: RegistrationTools,
  tx: Db,
  row: clients.ClientRow,
  accessToken: string,
): Promise<RegisteredClient> {
  const { strategy } = await readSubjectClaim({ tx, realm: row.realmId });
  const [secret] = clients.openSecrets(vault, row.realmId, row.id, row.sealed);
  return {
    client_id: row.clientId,
    ...(secret && { client_secret: secret.value, client_secret_expires_at: 0 }),
    client_id_issued_at: Math.floor(row.createdAt / SECOND),
    registration_access_token: accessToken,
    registration_client_uri: `${registrationUri(baseUrl, row.realmId)}/${row.id}`,
    ...toMetadata(stateOf(row), strategy),
  };
}

const LIMITS = { timeoutMs: 5_000, maxBytes: 64 * 1024 } as const;
const MEMBER = "sector_identifier_uri";

/** OpenID Connect Dynamic Client Registration §5: checks that the document at `sector_identifier_uri` lists every redirect URI. */
async function checkSector(outbound: Outbound, { sector_identifier_uri: uri, redirect_uris = [] }: ClientMetadata): Promise<void> {
  if (typeof uri !== "string") return;
  if (!uri.startsWith("https:")) throw invalidMetadata(MEMBER, `${MEMBER} must use https`);
  const listed = await read(outbound, uri);
  const missing = redirect_uris.filter((redirect) => !listed.includes(redirect));
  if (missing.length > 0) throw invalidMetadata(MEMBER, `${MEMBER}: the list found there lacks ${missing.join(", ")}`);
}

async function read(outbound: Outbound, uri: string): Promise<readonly unknown[]> {
  try {
    const answer = await outbound.fetch(uri, { ...LIMITS, headers: { accept: "application/json" } });
    const list = answer.status === 200 ? answer.json() : undefined;
    if (Array.isArray(list)) return list;
  } catch (cause) {
    if (cause instanceof OutboundError) throw invalidMetadata(MEMBER, `${MEMBER}: ${cause.message}`, cause);
    if (!(cause instanceof SyntaxError)) throw cause;
  }
  throw invalidMetadata(MEMBER, `${MEMBER}: there must be a JSON array of redirect URIs at that address, answered with status 200`);
}
