import { type SamlClientSnapshot, samlClientName } from "../../../applications/saml-clients/index.ts";
import { AUTHN_CONTEXT, type RequestedAuthnContext, STATUS } from "../../../platform/saml/index.ts";
import type { SignInRequest, VisitorFacts } from "../../../signin/authenticators/index.ts";
import { standingOf } from "../../../signin/run/index.ts";
import type { LiveSession } from "../../../signin/sessions/index.ts";
import type { RealmSnapshot } from "../../../tenancy/realms/index.ts";
import type { SamlParts } from "../parts.ts";
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

/** The required level of a sign-in, and the class that the assertion then names. */
export interface ContextDemand {
  /** The session's required `acr`; null: any. */
  readonly acr: string | null;
  /** Without it there is no assertion; otherwise it is a wish. */
  readonly essential: boolean;
  /** The AuthnContextClassRef for a session of this `acr`. */
  classRefOf(acr: string): string;
}

/** The levels that a sign-in can reach: `1` one kind of proof, `2` two. */
const HIGHEST = 2;

/** The class that says two factors and nothing about which (REFEDS MFA profile). */
const MFA = "https://refeds.org/profile/mfa";

const ANY: RequestedAuthnContext = { comparison: "minimum", classRefs: [], declRefs: [] };

/**
 * SAML core §3.3.2.2.1, over the map of classes to `acr`. Null: it cannot be satisfied. A session that proves more than a class asks for has
 * proven that class as well, so `exact` takes it too, and the assertion names the class that was asked for.
 */
function contextDemand(client: SamlClientSnapshot, requested: RequestedAuthnContext | null): ContextDemand | null {
  const { comparison, classRefs } = requested ?? byDefault(client);
  const usual = (acr: string) => usualClassRef(client, acr);
  if (classRefs.length === 0) return requested === null ? { acr: null, essential: false, classRefOf: usual } : null;
  const known = classRefs.flatMap((ref) => {
    const level = levelOf(client, ref);
    return level === null ? [] : [{ ref, level }];
  });
  if (known.length === 0) return null;
  const levels = known.map(({ level }) => level);
  /** The strongest of those that were asked for, as far as the session goes. */
  const asked = (acr: string) => {
    const reached = known.filter(({ level }) => level <= Number(acr)).sort((a, b) => b.level - a.level);
    return reached[0]?.ref ?? usual(acr);
  };
  if (comparison === "better") {
    // Stronger than each of them; an unknown class cannot be compared.
    const above = Math.max(...levels) + 1;
    return known.length < classRefs.length || above > HIGHEST ? null : { acr: String(above), essential: true, classRefOf: usual };
  }
  if (comparison === "maximum") return { acr: String(Math.max(...levels)), essential: false, classRefOf: asked };
  const needed = Math.min(...levels);
  return needed > HIGHEST ? null : { acr: String(needed), essential: true, classRefOf: asked };
}

/** For requests without RequestedAuthnContext: the client's default, where the map has a level for it. */
function byDefault(client: SamlClientSnapshot): RequestedAuthnContext {
  const { defaultAuthnContextClassRef: ref } = client;
  return ref !== null && levelOf(client, ref) !== null ? { ...ANY, classRefs: [ref] } : ANY;
}

function levelOf({ options: { authnContextMap } }: SamlClientSnapshot, ref: string): number | null {
  const level = Object.hasOwn(authnContextMap, ref) ? Number(authnContextMap[ref]) : Number.NaN;
  // A value that is no level would compare as met.
  if (Number.isInteger(level)) return level;
  return ref === AUTHN_CONTEXT.unspecified ? 0 : null;
}

function usualClassRef({ defaultAuthnContextClassRef, options }: SamlClientSnapshot, acr: string): string {
  // The user did not authenticate: an administrator acts as them.
  if (Number(acr) === 0) return AUTHN_CONTEXT.unspecified;
  if (defaultAuthnContextClassRef !== null && Number(acr) === 1) return defaultAuthnContextClassRef;
  if (Number(acr) === 1) return AUTHN_CONTEXT.passwordProtectedTransport;
  const { authnContextMap } = options;
  if (authnContextMap[MFA] === acr) return MFA;
  return Object.keys(authnContextMap).find((ref) => authnContextMap[ref] === acr) ?? AUTHN_CONTEXT.unspecified;
}
