import type { FastifyReply, FastifyRequest } from "fastify";
import Type from "typebox";
import { type AccessRefusal, type AccessRequest, refusalOf } from "../../applications/access/index.ts";
import { findShownAgent } from "../../applications/agents/index.ts";
import type { ScopesSnapshot } from "../../applications/client-scopes/index.ts";
import type { ClientSnapshot } from "../../applications/clients/index.ts";
import { clock } from "../../kernel/clock.ts";
import type { AppError } from "../../kernel/errors.ts";
import { renderNoAccess, sendPage } from "../../pages/index.ts";
import type { Db } from "../../platform/db/index.ts";
import type { UnitOfWork } from "../../platform/unit-of-work.ts";
import type { SignInRequest } from "../../signin/authenticators/index.ts";
import { askedSecondFactors } from "../../signin/flows/index.ts";
import type { PageParts } from "../../signin/login/index.ts";
import { hasRecentAuthentication, type LiveSession } from "../../signin/sessions/index.ts";
import { detailText, requestedAcr } from "../tokens/index.ts";
import { acrParamsOf, approvalErrors, isTooOld, requestedBy, type Waiting } from "./approval.ts";
import type { DecoupledIssuers, DecoupledParts } from "./parts.ts";

export interface DecoupledRouteParts extends PageParts {
  readonly issuers: DecoupledIssuers;
  readonly work: UnitOfWork;
}

/** Tells whether the user has to sign in again to consent to offline access, which an unattended browser must not grant. */
export const needsRecentSignIn = async ({ flows }: Pick<DecoupledParts, "flows">, session: LiveSession, scopes: readonly string[]) =>
  scopes.includes("offline_access") &&
  session.impersonator === null &&
  !hasRecentAuthentication(session, await askedSecondFactors(flows, session.realm), clock.now());

/**
 * Returns the sign-in that the user's session lacks for this request: the client's own flow, the requested `acr` and `max_age`, open
 * required actions. Returns null if nothing is missing. The authorization endpoint requires the same.
 */
export async function missingSignIn(
  { realm, standings }: Pick<DecoupledParts, "realm" | "standings">,
  { visitor, ip, headers }: FastifyRequest,
  { client, request }: Waiting,
): Promise<SignInRequest | null> {
  const { clientId, settings } = client;
  const { acr, essential } = requestedAcr(acrParamsOf(request));
  // No sign-in can reach an essential level that this server does not know.
  if (essential && acr === null) throw approvalErrors.unmet();
  const asked: SignInRequest = {
    clientId,
    application: { name: nameOf(client), logoUrl: settings.logoUri, policyUrl: settings.policyUri, termsUrl: settings.tosUri },
    flow: settings.browserFlow ?? undefined,
    ...(acr !== null && { acr, acrEssential: essential }),
  };
  const session = visitor.session!;
  if (session.impersonator === null && isTooOld(request, session, clock.now())) return { ...asked, reauthenticate: true };
  const from = { sourceIp: ip, userAgent: headers["user-agent"] ?? null, deviceToken: visitor.deviceToken };
  return (await standings(realm, session, from, asked)) === "enough" ? null : asked;
}

/** Returns scopes as pages list them. */
export const shownScopes = ({ byName }: ScopesSnapshot, scopes: readonly string[]) =>
  scopes.map((name) => ({ name, text: byName.get(name)?.consentText ?? null }));

/** Returns the APIs of a request, as pages name them. */
export async function shownApis({ apis, realm, issuer }: Pick<DecoupledParts, "apis" | "realm" | "issuer">, resources: readonly string[]) {
  const others = resources.filter((resource) => resource !== issuer);
  return Promise.all(
    others.map(async (address) => {
      const api = await apis.get(realm.realmId, address);
      return { name: api ? (api.name ?? api.clientId) : null, address };
    }),
  );
}

/** The parameter that asks to sign in with another account. The link changes nothing by itself, so it needs no CSRF token. */
export const OtherAccount = Type.Optional(Type.Literal("other", { description: "Any value: sign in with another account" }));

export const nameOf = ({ name, clientId }: ClientSnapshot): string => name ?? clientId;

/** Returns the agent of a client, as pages name it. */
export const shownAgent = async ({ db, realm }: Pick<DecoupledParts, "db" | "realm">, { agent }: ClientSnapshot) =>
  agent && (await findShownAgent(db, realm.realmId, agent.id));

type Visitors = PageParts["visitors"];

/** The address at which the user continues with a pending request. */
interface PageAddress {
  readonly path: string;
  readonly query?: Record<string, string>;
}

/** Returns the content of both approval pages. */
export async function confirmationOf(
  visitors: Visitors,
  { req, reply }: { readonly req: FastifyRequest; readonly reply: FastifyReply },
  parts: DecoupledParts,
  found: Waiting,
  { path, query }: PageAddress,
) {
  const { scopes, claims, details, resources } = requestedBy(parts, found.request);
  return {
    ...visitors.frameAt(req, reply, req.visitor, path, query),
    action: path,
    state: "confirm",
    csrf: visitors.tokenFor(req, reply, req.visitor),
    client: nameOf(found.client),
    account: req.visitor.session!.username,
    scopes: shownScopes(parts.scopesOfRealm, scopes),
    claims,
    details: details.map(detailText),
    agent: await shownAgent(parts, found.client),
    apis: await shownApis(parts, resources),
  } as const;
}

/** The page errors for refusals of the policy step, or null for the page that names the application and offers another account. */
const PAGE_ERRORS: Readonly<Record<AccessRefusal, (() => AppError) | null>> = {
  ...{ "no-access": null, "agent-inactive": null, "user-removed": null, "directory-unreachable": null },
  impersonated: approvalErrors.impersonated,
};

/** Runs the policy step for the user of a page. Returns true if they see the page with the refusal. */
export async function isRefusedOnPage(db: Db, request: AccessRequest): Promise<boolean> {
  const refusal = await refusalOf(db, request);
  const error = refusal && PAGE_ERRORS[refusal];
  if (error) throw error();
  return refusal !== null;
}

/** Runs `isRefusedOnPage` for an OAuth client. `isDecision` is true if the user consents, which an impersonator cannot. */
export const isRefusedTo = (
  { db, realm }: Pick<DecoupledParts, "db" | "realm">,
  { settings, agent }: ClientSnapshot,
  { userId, impersonator }: LiveSession,
  isDecision: boolean,
): Promise<boolean> =>
  isRefusedOnPage(db, { realm: realm.realmId, userId, application: settings, agent, ...(isDecision && { impersonator }) });

/** Shows the refusal. The request remains pending, and another account may answer it. */
export function sendNoAccess(
  visitors: Visitors,
  request: FastifyRequest,
  reply: FastifyReply,
  client: ClientSnapshot,
  { path, query }: PageAddress,
): FastifyReply {
  const { visitor } = request;
  const html = renderNoAccess({
    ...visitors.frameAt(request, reply, visitor, path, query),
    client: nameOf(client),
    account: visitor.session!.username,
    otherAccountUrl: `${path}?${new URLSearchParams({ ...query, account: "other" })}`,
  });
  return sendPage(reply, 403, html);
}
