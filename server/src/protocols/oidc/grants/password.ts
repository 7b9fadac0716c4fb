import { errors, type Provider, type TokenEndpointGrantContext } from "oidc-provider";
import type { ClientSnapshot } from "../../../applications/clients/index.ts";
import { findRequiredActions, findUserByLogin } from "../../../directory/users/index.ts";
import { clock, SECOND } from "../../../kernel/clock.ts";
import { newId } from "../../../kernel/ids.ts";
import type { Ctx } from "../../../platform/context.ts";
import { type Attempt, countAttempt } from "../../../signin/attempts/index.ts";
import type { FlowsSnapshot } from "../../../signin/flows/index.ts";
import { isOverloaded, type ProvenUser, provePassword, recordFailure, stranger } from "../../../signin/passwords/index.ts";
import { accountOf } from "../accounts.ts";
import { storedGrant } from "../adapter/grants.adapter.ts";
import { writeGrant } from "../adapter/grants.store.ts";
import { snapshotOf } from "../client.ts";
import { checkRequestBinding } from "../engine.ts";
import { requestOf } from "../error-page.ts";
import { lifetimesOf } from "../lifetimes.ts";
import type { RealmParts } from "../parts.ts";
import { resourceServer } from "../resources.ts";
import { checkText, isAllowedByUser, refusal, scopesAsked } from "./asked.ts";
import { passDirectly } from "./direct-flow.ts";
import type { RegisterGrant } from "./index.ts";

interface PasswordRequest {
  readonly username?: string;
  readonly password?: string;
  /** The code of an authenticator app, of users who have one. */
  readonly totp?: string;
  readonly scope?: string;
  readonly resource?: string;
}

type PasswordContext = TokenEndpointGrantContext<PasswordRequest>;

/** As the sign-in page limits them. */
const MAX_USERNAME = 1_024;
const MAX_PASSWORD = 8_192;
const MAX_CODE = 64;

/** RFC 6749 §4.3, for applications that cannot do better: a client has it only where its administrator lists it. */
export const passwordGrant: RegisterGrant = (provider, parts) =>
  provider.registerGrantType<PasswordRequest>("password", (ctx) => answer(provider, parts, ctx), [
    "username",
    "password",
    "totp",
    "scope",
    "resource",
  ]);

async function answer(provider: Provider, parts: RealmParts, ctx: PasswordContext): Promise<void> {
  const { client, params } = ctx.oidc;
  const snapshot = snapshotOf(client);
  const { username, password } = credentialsIn(params);
  const scope = scopesFor(ctx, parts, snapshot).join(" ");
  const resource = params.resource ?? parts.issuer;
  const server = resourceServer(parts, snapshot, resource);
  const binding = await checkRequestBinding(provider, ctx);

  const { grantId, userId, acr, amr } = await signIn(parts, ctx, snapshot, { username, password, totp: totpIn(params), scope, resource });
  const proven = { acr, amr: [...amr], authTime: Math.floor(clock.now() / SECOND) };
  const claims = { db: parts.db, realm: parts.realm.realmId, scopes: parts.scopesOfRealm };
  const account = accountOf(claims, ctx, userId, { scope, ...proven });
  ctx.oidc.entity("Account", account);
  ctx.oidc.entity("Grant", await grantOf(provider, grantId));

  const token = new provider.AccessToken({ client, accountId: userId, grantId, gty: "password", scope, ...binding });
  token.resourceServer = new provider.ResourceServer(resource, server);
  ctx.oidc.entity("AccessToken", token);
  const access_token = await token.save();
  const common = { client, accountId: userId, grantId, gty: "password", scope, resource, rotations: 0, ...proven };
  const refresh = client.grantTypeAllowed("refresh_token")
    ? new provider.RefreshToken({ ...common, ...(client.clientAuthMethod === "none" && binding) })
    : null;
  const refresh_token = await refresh?.save();
  const id_token = scope.split(" ").includes("openid")
    ? await new provider.IdToken(
        { ...(await account.claims("id_token", scope, {}, [])), acr: proven.acr, amr: proven.amr, auth_time: proven.authTime },
        { ctx },
      ).issue({ use: "idtoken" })
    : undefined;
  ctx.body = {
    access_token,
    expires_in: token.expiration,
    ...(id_token !== undefined && { id_token }),
    ...(refresh_token !== undefined && { refresh_token }),
    scope,
    token_type: token.tokenType,
  };
}

function credentialsIn({ username, password }: PasswordRequest): { username: string; password: string } {
  if (!username || !password) throw new errors.InvalidRequest("username and password are needed");
  if (username.length > MAX_USERNAME || password.length > MAX_PASSWORD) throw new errors.InvalidRequest("username or password is too long");
  checkText({ username, password });
  return { username, password };
}

function totpIn({ totp }: PasswordRequest): string | undefined {
  if (totp === undefined || totp === "") return undefined;
  if (totp.length > MAX_CODE) throw new errors.InvalidRequest("totp is too long");
  checkText({ totp });
  return totp;
}

/** Without a refresh token there is nothing that could stay. */
const scopesFor = ({ oidc: { client, params } }: PasswordContext, parts: RealmParts, snapshot: ClientSnapshot): readonly string[] =>
  scopesAsked(parts, snapshot, params.scope).filter((name) => name !== "offline_access" || client.grantTypeAllowed("refresh_token"));

interface SignIn {
  readonly username: string;
  readonly password: string;
  readonly totp: string | undefined;
  readonly scope: string;
  readonly resource: string;
}

type Hindrance = "totp-missing" | "totp-wrong" | "no-page" | "required-actions" | "consent";

const REASONS: Readonly<Record<Hindrance, string>> = {
  "totp-missing": "a second factor is needed: send the code of the authenticator app as totp",
  "totp-wrong": "the code is not right, or was used already",
  "no-page": "this user is asked for more than can be sent here: sign in in the browser",
  "required-actions": "the account needs attention first: sign in once in the browser",
  consent: "the user has not allowed this application that yet: sign in once in the browser",
};

/** The same way as the sign-in page, to the same counters; it ends in a grant without a session. */
async function signIn(parts: RealmParts, ctx: PasswordContext, client: ClientSnapshot, asked: SignIn): Promise<Made> {
  const { realm, metrics } = parts;
  const sourceIp = requestOf(ctx)?.ip ?? ctx.ip;
  const proof = { realm, login: asked.username, password: asked.password, sourceIp };
  const attempt = asked.totp === undefined ? null : await countCode(parts, asked.username, sourceIp);
  if (attempt && attempt.retryAt !== null) throw tooMany(ctx, Math.max(1, Math.ceil((attempt.retryAt - clock.now()) / SECOND)));
  const flows = await parts.flows.get(realm.realmId);
  const toGrant = (work: Ctx, user: ProvenUser) => makeGrant(work, parts, ctx, client, user, { ...asked, sourceIp, attempt, flows });
  const result = await provePassword(parts, proof, toGrant).catch(async (error) => {
    await attempt?.takeBack();
    if (!isOverloaded(error)) throw error;
    ctx.set("retry-after", "2");
    throw Object.assign(new errors.TemporarilyUnavailable("it is very busy right now: try again in a moment"), {
      status: 503,
      statusCode: 503,
    });
  });
  // Only a code that was looked at is an attempt.
  if (result.outcome !== "proven" || !result.value.usedCode) await attempt?.takeBack();
  if (result.outcome === "wait") throw tooMany(ctx, result.retryAfterSeconds);
  if (result.outcome === "refused") throw refusal("invalid_grant", "username or password is wrong");
  const { hindrance, ...made } = result.value;
  metrics.login(realm.realmId, hindrance === null ? "success" : "failure");
  if (hindrance !== null) throw refusal("invalid_grant", REASONS[hindrance]);
  return made;
}

/** Counted before it is looked at, as on the sign-in page and with the same counters. */
async function countCode(parts: RealmParts, login: string, sourceIp: string): Promise<Attempt> {
  const { db, work, realm } = parts;
  const user = await findUserByLogin(db, realm.realmId, login);
  const origin = { realm: realm.realmId, actor: stranger(realm.realmId, login), sourceIp };
  return countAttempt({ db, work }, origin, realm, { login, userId: user?.userId ?? null, sourceIp }, "totp");
}

function tooMany(ctx: PasswordContext, seconds: number) {
  ctx.set("retry-after", String(seconds));
  return refusal("invalid_grant", `too many attempts: try again in ${seconds} seconds`);
}

interface Way {
  readonly sourceIp: string;
  readonly attempt: Attempt | null;
  readonly flows: FlowsSnapshot | null;
}

interface Made {
  readonly grantId: string;
  readonly userId: string;
  readonly acr: string;
  readonly amr: readonly string[];
}

/** In the transaction in which the password was right. Where more than a password is asked of the user, there is no way to ask. */
async function makeGrant(
  work: Ctx,
  parts: RealmParts,
  ctx: PasswordContext,
  client: ClientSnapshot,
  user: ProvenUser,
  { username: login, totp, scope, resource, sourceIp, attempt, flows }: SignIn & Way,
): Promise<Made & { readonly hindrance: Hindrance | null; readonly usedCode: boolean }> {
  const { userId, username } = user;
  const event = { category: "AUTHN", actor: { id: userId, name: username }, resourceType: "clients", resourceId: client.id } as const;
  const verdict = await passDirectly(work, parts, client, { userId, login, totp, sourceIp, flows });
  const grantId = newId();
  if (verdict.outcome !== "passed") {
    const { outcome: hindrance } = verdict;
    if (hindrance === "totp-wrong") recordFailure(work, userId, attempt ?? { locksUser: false }, "MFA_FAILURE");
    else work.audit({ ...event, type: "LOGIN_FAILURE", outcome: "FAILURE", detail: `password grant: ${hindrance}` });
    return { hindrance, grantId, userId, acr: "1", amr: [], usedCode: hindrance === "totp-wrong" };
  }
  const { acr, amr } = verdict;
  const usedCode = amr.includes("otp");
  if (usedCode) await attempt?.succeeded(work);
  const mustDo = await findRequiredActions(work.tx, work.realm, userId);
  const isAllowed = await isAllowedByUser(work.tx, work.realm, client, userId, scope.split(" "));
  const hindrance: Hindrance | null = mustDo.length > 0 ? "required-actions" : isAllowed ? null : "consent";
  if (hindrance !== null) {
    work.audit({ ...event, type: "LOGIN_FAILURE", outcome: "FAILURE", detail: `password grant: ${mustDo.join(", ") || "consent"}` });
    return { hindrance, grantId, userId, acr, amr, usedCode };
  }
  const { offline, accessToken } = lifetimesOf(parts.realm.settings, client);
  const lasts = ctx.oidc.client.grantTypeAllowed("refresh_token") ? Math.max(offline, accessToken) : accessToken;
  await writeGrant(work.tx, work.realm, {
    grantId,
    userId,
    clientId: client.clientId,
    sessionId: null,
    payload: storedGrant({ openid: { scope }, resources: { [resource]: scope } }),
    now: work.now,
    expiresAt: work.now + lasts * SECOND,
  });
  work.audit({ ...event, type: "LOGIN_SUCCESS", detail: "password grant" });
  return { hindrance, grantId, userId, acr, amr, usedCode };
}

async function grantOf(provider: Provider, grantId: string) {
  const grant = await provider.Grant.find(grantId);
  // Shut out between two statements.
  if (!grant) throw refusal("invalid_grant", "username or password is wrong");
  return grant;
}
