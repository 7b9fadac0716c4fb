import type { FastifyReply, FastifyRequest } from "fastify";
import Type from "typebox";
import { findShownAgent } from "../../applications/agents/index.ts";
import type { ScopesSnapshot } from "../../applications/client-scopes/index.ts";
import type { ClientSnapshot } from "../../applications/clients/index.ts";
import { clock } from "../../kernel/clock.ts";
import { renderNoAccess, sendPage } from "../../pages/index.ts";
import type { UnitOfWork } from "../../platform/unit-of-work.ts";
import type { SignInRequest } from "../../signin/authenticators/index.ts";
import type { PageParts } from "../../signin/login/index.ts";
import { hasRecentAuthentication, type LiveSession } from "../../signin/sessions/index.ts";
import { type AuthorizationDetail, requestedAcr } from "../tokens/index.ts";
import { acrParamsOf, approvalErrors, isTooOld, requestedBy, type Waiting } from "./approval.ts";
import type { DecoupledIssuers, DecoupledParts } from "./parts.ts";

export interface DecoupledRouteParts extends PageParts {
  readonly issuers: DecoupledIssuers;
  readonly work: UnitOfWork;
}

/** Consent to offline access needs recent authentication: an unattended browser must not grant it. */
export const needsRecentSignIn = (session: LiveSession, scopes: readonly string[]): boolean =>
  scopes.includes("offline_access") && session.impersonator === null && !hasRecentAuthentication(session, clock.now());

/**
 * The sign-in that the user's session is missing for this request: the client's own flow, the requested `acr` and `max_age`, open required actions.
 * Null: nothing is missing. The same is asked at the authorization endpoint.
 */
export async function missingSignIn(
  { realm, standings }: Pick<DecoupledParts, "realm" | "standings">,
  { visitor, ip, headers }: FastifyRequest,
  { client, request }: Waiting,
): Promise<SignInRequest | null> {
  const { clientId, settings } = client;
  const { acr, essential } = requestedAcr(acrParamsOf(request));
  // An essential level that this server does not know cannot be reached by any sign-in.
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

/** Scopes as pages list them. */
export const shownScopes = ({ byName }: ScopesSnapshot, scopes: readonly string[]) =>
  scopes.map((name) => ({ name, text: byName.get(name)?.consentText ?? null }));

/** The APIs that a request is for, as pages name them. */
export async function shownApis({ apis, realm, issuer }: Pick<DecoupledParts, "apis" | "realm" | "issuer">, resources: readonly string[]) {
  const others = resources.filter((resource) => resource !== issuer);
  return Promise.all(
    others.map(async (address) => {
      const api = await apis.get(realm.realmId, address);
      return { name: api ? (api.name ?? api.clientId) : null, address };
    }),
  );
}

/** In the query of a page: asks to sign in again, for another account. Following the link changes nothing by itself, so it needs no CSRF token. */
export const OtherAccount = Type.Optional(Type.Literal("other", { description: "Asks to sign in with another account" }));

export const nameOf = ({ name, clientId }: ClientSnapshot): string => name ?? clientId;

/** The agent that a client belongs to, as pages name it. */
export const shownAgent = async ({ db, realm }: Pick<DecoupledParts, "db" | "realm">, { agent }: ClientSnapshot) =>
  agent && (await findShownAgent(db, realm.realmId, agent.id));

type Visitors = PageParts["visitors"];

/** RFC 9396: all of a detail, because the user decides about all of it. */
const detailText = ({ type, ...members }: AuthorizationDetail): string => [type, ...Object.entries(members).map(memberText)].join(" · ");

const memberText = ([name, value]: [string, unknown]): string =>
  `${name}: ${typeof value === "string" ? value : Array.isArray(value) && value.every((each) => typeof each === "string") ? value.join(", ") : JSON.stringify(value)}`;

/** The content of both approval pages. */
export async function confirmationOf(visitors: Visitors, req: FastifyRequest, reply: FastifyReply, parts: DecoupledParts, found: Waiting) {
  const { scopes, claims, details, resources } = requestedBy(parts, found.request);
  return {
    ...visitors.frameOf(req, reply, req.visitor),
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

/** The request stays open: `page` is where the user can go on with another account. */
export function sendNoAccess(
  visitors: Visitors,
  request: FastifyRequest,
  reply: FastifyReply,
  client: ClientSnapshot,
  page: { readonly path: string; readonly query?: Readonly<Record<string, string>> },
): FastifyReply {
  const { visitor } = request;
  const html = renderNoAccess({
    ...visitors.frameOf(request, reply, visitor),
    client: nameOf(client),
    account: visitor.session!.username,
    otherAccountUrl: `${page.path}?${new URLSearchParams({ ...page.query, account: "other" })}`,
  });
  return sendPage(reply, 403, html);
}
