import { findRequiredActions, findUserByLogin } from "../../../directory/users/index.ts";
import { clock, SECOND } from "../../../kernel/clock.ts";
import { newId } from "../../../kernel/ids.ts";
import { type OAuthError, oauthErrors } from "../../../kernel/oauth-error.ts";
import type { Ctx } from "../../../platform/context.ts";
import { type Attempt, countAttempt } from "../../../signin/attempts/index.ts";
import type { FlowsSnapshot } from "../../../signin/flows/index.ts";
import { isOverloaded, type ProvenUser, provePassword, recordFailure, stranger } from "../../../signin/passwords/index.ts";
import {
  audienceOf,
  findLiveGrant,
  isAllowedByUser,
  type LiveGrant,
  lifetimesOf,
  requestedScopes,
  resourceOf,
  writeGrant,
} from "../../tokens/index.ts";
import type { Grant, Parameters, Source, TokenCtx } from "../grant.ts";
import type { TokenEndpointParts } from "../parts.ts";
import { passDirectly } from "./password-flow.ts";

/** As the sign-in page limits them. */
const MAX_USERNAME = 1_024;
const MAX_PASSWORD = 8_192;
const MAX_CODE = 64;

interface PasswordSource extends Source {
  readonly record: null;
  readonly grant: LiveGrant;
  readonly scopes: readonly string[];
  readonly resource: string;
  readonly acr: string;
  readonly amr: readonly string[];
  /** Seconds. */
  readonly authTime: number;
}

/** RFC 6749 §4.3, for applications that cannot do better: a client has it only where its administrator lists it. */
export const password: Grant<PasswordSource> = {
  type: "password",
  // `totp`: the code of an authenticator app, of users who have one.
  parameters: ["username", "password", "totp", "scope", "resource"],
  lists: ["resource"],

  /** The sign-in writes the grant, in the transaction in which the password was right. */
  async find(ctx, { params, lists }) {
    const { parts, client } = ctx;
    const credentials = credentialsIn(params);
    // Without a refresh token there is nothing that could stay.
    const scopes = requestedScopes(parts.scopesOfRealm, client, params.scope).filter(
      (name) => name !== "offline_access" || client.grantTypes.includes("refresh_token"),
    );
    const resource = resourceOf(parts, client, [], lists.resource ?? []);
    const { grantId, acr, amr } = await signIn(ctx, { ...credentials, scope: scopes.join(" "), resource });
    const grant = await findLiveGrant(parts.db, parts.realm.realmId, grantId, clock.now());
    // Shut out between two statements.
    if (!grant) throw oauthErrors.invalidGrant("username or password is wrong");
    return { record: null, grant, scopes, resource, acr, amr, authTime: Math.floor(clock.now() / SECOND) };
  },

  issue({ client }, { grant, scopes, resource, acr, amr, authTime }) {
    const { grantId, userId, user } = grant;
    const authentication = { acr, amr, authTime };
    const from = { accountId: userId, clientId: client.clientId, grantId, scope: scopes.join(" "), resource, ...authentication };
    return {
      kind: "user",
      tokens: {
        ...{ grantId, userId, user, impersonator: null, scopes, authentication },
        audience: audienceOf(client, resource),
        idToken: scopes.includes("openid") ? { scopes, nonce: undefined, requested: [] } : null,
        claims: undefined,
        authorizationDetails: undefined,
      },
      refresh: client.grantTypes.includes("refresh_token") ? { from, gty: "password", grant } : null,
    };
  },
};

interface Credentials {
  readonly username: string;
  readonly password: string;
  readonly totp: string | undefined;
}

function credentialsIn({ username, password, totp }: Parameters): Credentials {
  const refuse = oauthErrors.invalidRequest;
  if (username === undefined || password === undefined) throw refuse("username and password are needed");
  if (username.length > MAX_USERNAME || password.length > MAX_PASSWORD) throw refuse("username or password is too long");
  if (totp !== undefined && totp.length > MAX_CODE) throw refuse("totp is too long");
  return { username, password, totp };
}

interface SignIn extends Credentials {
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
async function signIn(ctx: TokenCtx, asked: SignIn): Promise<Made> {
  const { parts, sourceIp } = ctx;
  const { realm, metrics } = parts;
  const proof = { realm, login: asked.username, password: asked.password, sourceIp };
  const attempt = asked.totp === undefined ? null : await countCode(parts, asked.username, sourceIp);
  if (attempt && attempt.retryAt !== null) throw tooMany(Math.max(1, Math.ceil((attempt.retryAt - clock.now()) / SECOND)));
  const flows = await parts.flows.get(realm.realmId);
  const toGrant = (work: Ctx, user: ProvenUser) => makeGrant(work, ctx, user, { ...asked, attempt, flows });
  const result = await provePassword(parts, proof, toGrant).catch(async (error) => {
    await attempt?.takeBack();
    if (!isOverloaded(error)) throw error;
    const options = { status: 503, headers: { "retry-after": "2" } };
    throw oauthErrors.temporarilyUnavailable("it is very busy right now: try again in a moment", options);
  });
  // Only a code that was looked at is an attempt.
  if (result.outcome !== "proven" || !result.value.usedCode) await attempt?.takeBack();
  if (result.outcome === "wait") throw tooMany(result.retryAfterSeconds);
  if (result.outcome === "refused") throw oauthErrors.invalidGrant("username or password is wrong");
  const { hindrance, ...made } = result.value;
  metrics.login(realm.realmId, hindrance === null ? "success" : "failure");
  if (hindrance !== null) throw oauthErrors.invalidGrant(REASONS[hindrance]);
  return made;
}

/** Counted before it is looked at, as on the sign-in page and with the same counters. */
async function countCode(parts: TokenEndpointParts, login: string, sourceIp: string): Promise<Attempt> {
  const { db, work, realm } = parts;
  const user = await findUserByLogin(db, realm.realmId, login);
  const origin = { realm: realm.realmId, actor: stranger(realm.realmId, login), sourceIp };
  return countAttempt({ db, work }, origin, realm, { login, userId: user?.userId ?? null, sourceIp }, "totp");
}

const tooMany = (seconds: number): OAuthError =>
  oauthErrors.invalidGrant(`too many attempts: try again in ${seconds} seconds`, { headers: { "retry-after": String(seconds) } });

interface Way {
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
  { parts, client, sourceIp }: TokenCtx,
  user: ProvenUser,
  { username: login, totp, scope, resource, attempt, flows }: SignIn & Way,
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
  const lasts = client.grantTypes.includes("refresh_token") ? Math.max(offline, accessToken) : accessToken;
  await writeGrant(work.tx, work.realm, {
    grantId,
    userId,
    clientId: client.clientId,
    sessionId: null,
    payload: { openid: { scope }, resources: { [resource]: scope } },
    now: work.now,
    expiresAt: work.now + lasts * SECOND,
  });
  work.audit({ ...event, type: "LOGIN_SUCCESS", detail: "password grant" });
  return { hindrance, grantId, userId, acr, amr, usedCode };
}
