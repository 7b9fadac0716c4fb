import { type SamlClientSnapshot, samlClientName } from "../../../applications/saml-clients/index.ts";
import { STATUS } from "../../../platform/saml/index.ts";
import type { SignInRequest, VisitorFacts } from "../../../signin/authenticators/index.ts";
import { standingOf } from "../../../signin/run/index.ts";
import type { LiveSession } from "../../../signin/sessions/index.ts";
import type { RealmSnapshot } from "../../../tenancy/realms/index.ts";
import type { SamlParts } from "../parts.ts";
import { type ContextDemand, contextDemand } from "./authn-context.ts";
import type { ErrorStatus, PendingRequest } from "./requests.ts";

/** One request in one browser. */
export interface Exchange {
  readonly realm: RealmSnapshot;
  readonly client: SamlClientSnapshot;
  readonly request: PendingRequest;
  readonly visitor: VisitorFacts;
  /** The session that a sign-in for this very request has led to. */
  readonly signedIn: string | null;
}

export type Decision =
  | { readonly next: "assertion"; readonly session: LiveSession; readonly classRef: string }
  | { readonly next: "sign-in"; readonly request: SignInRequest }
  | { readonly next: "error"; readonly status: ErrorStatus };

const refuse = (code: string, subCode: string): Decision => ({ next: "error", status: { code, subCode } });

/** Tells whether the session of the browser is enough for the request. The user's part (NameID, access) is looked at when the answer is made. */
export async function decide(parts: SamlParts, exchange: Exchange): Promise<Decision> {
  const { client, request, visitor, signedIn } = exchange;
  const { session } = visitor;
  if (request.unsupported) return { next: "error", status: request.unsupported };
  const demand = contextDemand(client, request.authnContext);
  if (!demand) return refuse(STATUS.responder, STATUS.noAuthnContext);
  const ask = (reauthenticate: boolean) => askToSignIn(exchange, demand, reauthenticate);
  if (!session || (request.isPassive && client.options.refusePassive)) return ask(false);
  // SAML core §3.4.1: proofs from before the request, in any tab, do not count.
  if ((request.forceAuthn || client.options.alwaysForceAuthn) && session.authTime < request.receivedAt) return ask(true);
  const hasJustPassed = signedIn === session.sessionId;
  if (demand.essential && Number(session.acr) < Number(demand.acr))
    return hasJustPassed ? refuse(STATUS.responder, STATUS.noAuthnContext) : ask(false);
  if (!hasJustPassed && !(await isEnough(parts, { ...exchange, visitor: { ...visitor, session } }, demand))) return ask(false);
  return { next: "assertion", session, classRef: demand.classRefOf(session.acr) };
}

/** SAML core §3.4.1: with IsPassive nothing is shown to the user. */
export function askToSignIn({ client, request }: Exchange, demand: ContextDemand | null, reauthenticate: boolean): Decision {
  if (request.isPassive) return refuse(STATUS.responder, STATUS.noPassive);
  return { next: "sign-in", request: { ...signInRequestOf(client, request, demand), reauthenticate } };
}

async function isEnough(
  parts: SamlParts,
  { realm, client, request, visitor }: Exchange & { readonly visitor: VisitorFacts & { readonly session: LiveSession } },
  demand: ContextDemand,
): Promise<boolean> {
  const flows = await parts.flows.get(realm.realmId);
  if (!flows) return false;
  // An essential level was compared before; a voluntary one asks for nothing that a session lacks.
  const { acr, acrEssential, ...asked } = signInRequestOf(client, request, demand);
  return (await standingOf(parts, { realm, flows, visitor, request: asked })) === "enough";
}

function signInRequestOf(client: SamlClientSnapshot, { subject, isLocal }: PendingRequest, demand: ContextDemand | null): SignInRequest {
  const { options, entityId } = client;
  return {
    clientId: entityId,
    application: { name: samlClientName(client), logoUrl: options.logoUri, policyUrl: options.policyUri, termsUrl: options.tosUri },
    ...(subject && { loginHint: subject.value.slice(0, 320) }),
    isLocal,
    flow: options.browserFlow ?? undefined,
    acr: demand?.acr ?? undefined,
    acrEssential: demand?.essential === true,
  };
}
