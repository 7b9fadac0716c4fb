import type { Interaction as EngineInteraction, InteractionResults } from "oidc-provider";
import type { ClientSnapshot } from "../../../applications/clients/index.ts";
import { grantConsent } from "../../../directory/consents/index.ts";
import { SECOND } from "../../../kernel/clock.ts";
import type { Actor } from "../../../platform/context.ts";
import type { UnitOfWork } from "../../../platform/unit-of-work.ts";
import { interactionErrors, startInteraction, takeResult } from "../../../signin/interactions/index.ts";
import type { ShownApplication } from "../../../signin/pages/index.ts";
import type { LiveSession } from "../../../signin/sessions/index.ts";
import { memberOf } from "../accounts.ts";
import { wasSentTo } from "../cookies.ts";
import type { Issuer } from "../provider.ts";
import { acrOf } from "../session.ts";
import { consentToClaim } from "./consent.ts";
import { ANSWERED_BY } from "./other-user.ts";

/** What the engine waits for: a sign-in, a choice, a consent. */
export interface Waiting {
  readonly uid: string;
  readonly interaction: EngineInteraction;
  readonly client: ClientSnapshot;
  /** Of the request. */
  readonly params: Readonly<Record<string, string | undefined>>;
}

/** Only for the browser that was sent there: it has the cookie. */
export async function findWaiting(
  { provider, parts }: Issuer,
  uid: string,
  cookies: Readonly<Record<string, string | undefined>>,
): Promise<Waiting> {
  const interaction = wasSentTo(parts.vault, cookies, uid) ? await provider.Interaction.find(uid) : undefined;
  if (!interaction) throw interactionErrors.gone();
  const params = interaction.params as Waiting["params"];
  const client = await parts.clients.get(parts.realm.realmId, String(params.client_id));
  if (!client) throw interactionErrors.gone();
  return { uid, interaction, client, params };
}

/** Where the engine goes on. */
export const resumePath = (realm: string, uid: string) => `/realms/${realm}/authorize/${uid}`;
export const interactionPath = (realm: string, uid: string) => `/realms/${realm}/interaction/${uid}`;

/** As people are shown it. */
export const applicationOf = ({ name, clientId, settings }: ClientSnapshot): ShownApplication => ({
  name: name ?? clientId,
  ...{ logoUrl: settings.logoUri, policyUrl: settings.policyUri, termsUrl: settings.tosUri },
});

/** Sends the browser to the sign-in page; answers the sign-in's id. */
export async function askToSignIn(work: UnitOfWork, realm: string, waiting: Waiting, browser: string, sourceIp: string): Promise<string> {
  const { client, params, uid } = waiting;
  const origin = { realm, actor: nobody(realm), sourceIp };
  return work.transact(origin, (ctx) =>
    startInteraction(ctx, {
      kind: "oidc",
      browser,
      request: {
        clientId: client.clientId,
        application: applicationOf(client),
        ...(params.login_hint !== undefined && { loginHint: params.login_hint }),
        ...(params.redirect_uri !== undefined && { formActionOrigins: [params.redirect_uri] }),
      },
      returnTo: (signIn) => `${interactionPath(realm, uid)}/done?interaction=${signIn}`,
    }),
  );
}

const nobody = (realm: string): Actor => ({
  ...{ id: "anonymous", name: "anonymous", realm },
  ...{ permissions: new Set<string>(), sessionId: null, impersonator: null },
});

/** The sign-in is done: the engine is told what it was waiting for. */
export async function signedIn(
  work: UnitOfWork,
  issuer: Issuer,
  waiting: Waiting,
  session: LiveSession | null,
  signIn: string,
  browser: string,
) {
  const realm = issuer.parts.realm.realmId;
  const { result } = await work.transact({ realm, actor: nobody(realm), sourceIp: null }, (ctx) => takeResult(ctx, signIn, browser));
  if (!session || result?.sessionId !== session.sessionId) throw interactionErrors.gone();
  await resolve(waiting, session, {
    login: { accountId: session.userId, ts: Math.floor(session.authTime / SECOND), acr: acrOf(session), amr: [...session.amr] },
    // Whoever has just signed in has chosen.
    select_account: {},
  });
}

/**
 * Keeps the answer for the engine, and whose it is. Which session it began in matters no more: the one that there is when it goes on counts
 * (other-user.ts).
 */
export async function resolve({ interaction }: Waiting, { userId }: LiveSession, answer: InteractionResults): Promise<void> {
  interaction.result = "error" in answer ? answer : { ...interaction.lastSubmission, ...answer, [ANSWERED_BY]: userId };
  interaction.session = undefined;
  await interaction.persist();
}

/** What the consent page asks for. */
export interface ConsentRequest {
  readonly scopes: readonly string[];
  readonly claims: readonly string[];
  /** RFC 9396: types only; what is in them is the client's affair. */
  readonly details: readonly string[];
}

export function consentRequest({ parts: { scopesOfRealm } }: Issuer, { params, interaction }: Waiting): ConsentRequest {
  const scopes = (params.scope ?? "").split(" ").filter((name) => scopesOfRealm.byName.has(name));
  const brought = new Set(scopes.flatMap((name) => scopesOfRealm.byName.get(name)!.mappers.map(({ claim }) => memberOf(claim))));
  const { missingOIDCClaims, rar } = interaction.prompt.details as { missingOIDCClaims?: string[]; rar?: { type: string }[] };
  return {
    scopes,
    claims: (missingOIDCClaims ?? []).filter((claim) => !brought.has(claim)),
    details: [...new Set((rar ?? []).map(({ type }) => type))],
  };
}

/** The user allows it, for good: see directory/consents. */
export async function allow(work: UnitOfWork, issuer: Issuer, waiting: Waiting, session: LiveSession, sourceIp: string): Promise<void> {
  const realm = issuer.parts.realm.realmId;
  const { scopes } = consentRequest(issuer, waiting);
  const { missingOIDCClaims = [] } = waiting.interaction.prompt.details as { missingOIDCClaims?: string[] };
  const actor: Actor = {
    ...{ id: session.userId, name: session.username, realm, permissions: new Set<string>() },
    ...{ sessionId: session.sessionId, impersonator: session.impersonator },
  };
  await work.transact({ realm, actor, sourceIp }, async (ctx) => {
    await issuer.parts.clients.settle(ctx, waiting.client);
    await grantConsent(ctx, session.userId, waiting.client.clientId, [...scopes, ...missingOIDCClaims.map(consentToClaim)]);
  });
  await resolve(waiting, session, { consent: {} });
}
