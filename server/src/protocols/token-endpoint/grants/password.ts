import type { AccessRefusal } from "../../../applications/access/index.ts";
import { findRequiredActions } from "../../../directory/users/index.ts";
import { clock, SECOND } from "../../../kernel/clock.ts";
import { newId } from "../../../kernel/ids.ts";
import { type OAuthError, oauthErrors } from "../../../kernel/oauth-error.ts";
import { anonymousActor, type Ctx } from "../../../platform/context.ts";
import { isProven } from "../../../signin/authenticators/index.ts";
import { type Authentication, continueDirectly, type Outcome, openDirectGrant, positionOf } from "../../../signin/run/index.ts";
import * as tokens from "../../tokens/index.ts";
import type { Grant, Parameters, Source, TokenCtx } from "../grant.ts";

/** The limits are those of the sign-in page. */
const MAX_USERNAME = 1_024;
const MAX_PASSWORD = 8_192;
const MAX_CODE = 64;

interface PasswordSource extends Source {
  readonly record: null;
  readonly grant: tokens.LiveGrant;
  readonly scopes: readonly string[];
  readonly target: tokens.Target;
  readonly acr: string;
  readonly amr: readonly string[];
  /** The time in seconds. */
  readonly authTime: number;
}

/** The password grant (RFC 6749 §4.3) for legacy clients. An administrator has to list the grant type. */
export const password: Grant<PasswordSource> = {
  // `totp` is the code of an authenticator app, for users with a second factor.
  parameters: ["username", "password", "totp", "scope", "resource"],
  lists: ["resource"],

  /** Signs in. The sign-in writes the grant in the transaction that accepts the last proof. */
  async find(ctx, { params, lists }) {
    const { parts, client } = ctx;
    const credentials = credentialsIn(params);
    // Offline access needs a refresh token.
    const scopes = tokens
      .requestedScopes(parts.scopesOfRealm, client, params.scope)
      .filter((name) => name !== "offline_access" || client.grantTypes.includes("refresh_token"));
    const target = await tokens.resourceOf(parts, client, [], lists.resource ?? []);
    const { grantId, acr, amr } = await signIn(ctx, { ...credentials, scope: scopes.join(" "), resource: target.resource });
    const grant = await tokens.findLiveGrant(parts.db, parts.realm.realmId, grantId, clock.now());
    // The user may have been disabled between the two statements.
    if (!grant) throw oauthErrors.invalidGrant("username or password is wrong");
    return { record: null, grant, scopes, target, acr, amr, authTime: Math.floor(clock.now() / SECOND) };
  },

  issue({ client }, { grant, scopes, target, acr, amr, authTime }) {
    const { grantId, userId, user } = grant;
    const { resource } = target;
    const authentication = { acr, amr, authTime };
    const from = { accountId: userId, clientId: client.clientId, grantId, scope: scopes.join(" "), resource, ...authentication };
    return {
      kind: "user",
      tokens: {
        ...{ grantId, userId, user, impersonator: null, scopes: tokens.scopesAt(target, scopes), authentication },
        audience: tokens.audienceOf(client, resource),
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

/** The reasons for which a sign-in needs a page, or another parameter. */
type Unfinished = "totp-missing" | "totp-wrong" | "no-page" | "required-actions" | "consent";
type Hindrance = Unfinished | AccessRefusal;

const REASONS: Readonly<Record<Unfinished, string>> = {
  "totp-missing": "a second factor is needed: send the code of the authenticator app as totp",
  "totp-wrong": "the code is not right, or was used already",
  "no-page": "this user is asked for more than can be sent here: sign in in the browser",
  "required-actions": "the account has open required actions: sign in once in the browser",
  consent: "the user has not allowed this application yet: sign in once in the browser",
};

/** Runs the direct grant flow with the counters of the sign-in page. The result is a grant without a session. */
async function signIn(ctx: TokenCtx, asked: SignIn): Promise<Made> {
  const { parts, client, sourceIp, requestId } = ctx;
  const { realm, metrics } = parts;
  const flows = await parts.flows.get(realm.realmId);
  const run =
    flows &&
    openDirectGrant({
      realm,
      flows,
      sourceIp,
      requestId,
      client: { clientId: client.clientId, flow: client.settings.directGrantFlow ?? null },
    });
  if (!run) throw oauthErrors.invalidGrant(REASONS["no-page"]);
  const form = { username: asked.username, password: asked.password, ...(asked.totp !== undefined && { code: asked.totp }) };
  const complete = (work: Ctx, authentication: Authentication) => makeGrant(work, ctx, authentication, asked);
  const outcome = await continueDirectly(parts, await positionOf(parts, run), form, { complete });
  if (outcome.outcome === "pass" && outcome.value.hindrance === null) {
    metrics.login(realm.realmId, "success");
    return outcome.value;
  }
  const hindrance = outcome.outcome === "pass" ? outcome.value.hindrance! : hindranceOf(outcome);
  metrics.login(realm.realmId, "failure");
  if (outcome.outcome !== "pass" && hindrance !== "totp-wrong") await recordRefusal(ctx, outcome, hindrance);
  throw hindrance in REASONS ? oauthErrors.invalidGrant(REASONS[hindrance as Unfinished]) : tokens.accessError(hindrance as AccessRefusal);
}

/** Returns why a run with the right password did not pass. Throws for a wrong password, which the run has recorded itself. */
function hindranceOf(outcome: Outcome<unknown>): Hindrance {
  if (outcome.outcome !== "ask") return "no-page";
  const { after, steps, run } = outcome;
  if (after?.kind === "overloaded") throw tokens.unavailable("it is very busy right now", 2);
  if (after?.kind === "unavailable") throw tokens.directorySilent();
  if (after?.kind === "wait") throw tooMany(after.retryAfterSeconds);
  if (after && isProven(run.progress)) return "totp-wrong";
  if (after) throw oauthErrors.invalidGrant("username or password is wrong");
  return steps.some(({ name }) => name === "totp") ? "totp-missing" : "no-page";
}

/** Records that the password was right, but the flow requires something that the request does not contain. */
async function recordRefusal(
  { parts, client, sourceIp, requestId }: TokenCtx,
  { run }: Outcome<unknown>,
  hindrance: Hindrance,
): Promise<void> {
  const { realmId } = parts.realm;
  const { userId, login } = run.progress;
  const name = run.user?.username ?? login ?? "";
  await parts.work.transact({ realm: realmId, actor: anonymousActor(realmId, name), sourceIp, requestId }, async (work) =>
    work.audit({
      ...{ category: "AUTHN", type: "LOGIN_FAILURE", outcome: "FAILURE", actor: { id: userId, name, kind: "anonymous" } },
      ...{ resourceType: "clients", resourceId: client.id, detail: `password grant: ${hindrance}` },
    }),
  );
}

const tooMany = (seconds: number): OAuthError =>
  oauthErrors.invalidGrant(`too many attempts: try again in ${seconds} seconds`, { headers: { "retry-after": String(seconds) } });

interface Made {
  readonly grantId: string;
  readonly acr: string;
  readonly amr: readonly string[];
}

/** Makes the grant in the transaction that accepts the last proof. Required actions and consent need a page, so they refuse the grant. */
async function makeGrant(
  work: Ctx,
  { parts, client }: TokenCtx,
  { userId, username, acr, amr, proofs }: Authentication,
  { scope, resource }: SignIn,
): Promise<Made & { readonly hindrance: Hindrance | null }> {
  const event = { category: "AUTHN", actor: { id: userId, name: username }, resourceType: "clients", resourceId: client.id } as const;
  const made = { grantId: newId(), acr, amr };
  const refused = (hindrance: Hindrance, detail: string = hindrance) => {
    work.audit({ ...event, type: "LOGIN_FAILURE", outcome: "FAILURE", detail: `password grant: ${detail}` });
    return { ...made, hindrance };
  };
  // A custom flow may require only a code, but RFC 6749 §4.3 requires a password.
  if (!amr.includes("pwd")) return refused("no-page");
  const refusal = await tokens.accessRefusal({ db: work.tx, realm: parts.realm }, client, { userId });
  if (refusal) return refused(refusal);
  const mustDo = await findRequiredActions(work.tx, work.realm, userId);
  const isAllowed = await tokens.isAllowedByUser(work.tx, parts, client, userId, { scopes: scope.split(" "), resources: [resource] });
  if (mustDo.length > 0) return refused("required-actions", mustDo.join(", "));
  if (!isAllowed) return refused("consent");
  const { offline, accessToken } = tokens.lifetimesOf(parts.realm.settings, client);
  const lasts = client.grantTypes.includes("refresh_token") ? Math.max(offline, accessToken) : accessToken;
  await tokens.writeGrant(work.tx, work.realm, {
    ...{ grantId: made.grantId, userId, clientId: client.clientId, sessionId: null },
    payload: { openid: { scope }, resources: { [resource]: scope }, proven: { at: work.now, proofs } },
    now: work.now,
    expiresAt: work.now + lasts * SECOND,
  });
  work.audit({ ...event, type: "LOGIN_SUCCESS", detail: "password grant" });
  return { ...made, hindrance: null };
}
