import { type SamlClientSnapshot, samlClientName } from "../../../applications/saml-clients/index.ts";
import { AUTHN_CONTEXT, type RequestedAuthnContext, STATUS } from "../../../platform/saml/index.ts";
import type { SignInRequest, VisitorFacts } from "../../../signin/authenticators/index.ts";
import { standingOf } from "../../../signin/run/index.ts";
import type { LiveSession } from "../../../signin/sessions/index.ts";
import type { RealmSnapshot } from "../../../tenancy/realms/index.ts";
import type { SamlParts } from "../parts.ts";
import type { ErrorStatus, PendingRequest } from "./requests.ts";

/** A request in one browser. */
export interface Exchange {
  readonly realm: RealmSnapshot;
  readonly client: SamlClientSnapshot;
  readonly request: PendingRequest;
  readonly visitor: VisitorFacts;
  /** The session that a sign-in for this very request led to. */
  readonly signedIn: string | null;
}

export type Decision =
  | { readonly next: "assertion"; readonly session: LiveSession; readonly classRef: string }
  | { readonly next: "sign-in"; readonly request: SignInRequest }
  | { readonly next: "error"; readonly status: ErrorStatus };

const refuse = (code: string, subCode: string): Decision => ({ next: "error", status: { code, subCode } });

/** Tells whether the browser's session is enough for the request. NameID and access are checked when the response is made. */
export async function decide(parts: SamlParts, exchange: Exchange): Promise<Decision> {
  const { client, request, visitor, signedIn } = exchange;
  const { session } = visitor;
  if (request.unsupported) return { next: "error", status: request.unsupported };
  const demand = contextDemand(client, request.authnContext);
  if (!demand) return refuse(STATUS.responder, STATUS.noAuthnContext);
  const ask = (reauthenticate: boolean) => askToSignIn(exchange, demand, reauthenticate);
  if (!session || (request.isPassive && client.options.refusePassive)) return ask(false);
  // SAML core §3.4.1: proofs from before the request do not count, in any tab.
  if ((request.forceAuthn || client.options.alwaysForceAuthn) && session.authTime < request.receivedAt) return ask(true);
  const hasJustPassed = signedIn === session.sessionId;
  if (demand.essential && Number(session.acr) < Number(demand.acr))
    return hasJustPassed ? refuse(STATUS.responder, STATUS.noAuthnContext) : ask(false);
  if (!hasJustPassed && !(await isEnough(parts, { ...exchange, visitor: { ...visitor, session } }, demand))) return ask(false);
  return { next: "assertion", session, classRef: demand.classRefOf(session.acr) };
}

/** SAML core §3.4.1: asks the user to sign in, unless IsPassive forbids a page. */
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
  // An essential level was compared before, and a voluntary one requires nothing that a session lacks.
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

/** The required level of a sign-in, and the class that the assertion names. */
export interface ContextDemand {
  /** The required `acr` of the session, or null for any. */
  readonly acr: string | null;
  /** True if there is no assertion without the level. Otherwise it is voluntary. */
  readonly essential: boolean;
  /** Returns the AuthnContextClassRef for a session of this `acr`. */
  classRefOf(acr: string): string;
}

/** The highest level that a sign-in can reach: `1` is one kind of proof, `2` is two. */
const HIGHEST = 2;

/** The class for two factors of any kind (REFEDS MFA profile). */
const MFA = "https://refeds.org/profile/mfa";

const ANY: RequestedAuthnContext = { comparison: "minimum", classRefs: [], declRefs: [] };

/**
 * SAML core §3.3.2.2.1: returns the demand, by the map of classes to `acr`, or null if it cannot be met. A session that proves more than a
 * class requires meets that class as well, so `exact` accepts it, and the assertion names the requested class.
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
  /** Returns the strongest of the requested classes that the session meets. */
  const asked = (acr: string) => {
    const reached = known.filter(({ level }) => level <= Number(acr)).sort((a, b) => b.level - a.level);
    return reached[0]?.ref ?? usual(acr);
  };
  if (comparison === "better") {
    // The level has to be stronger than each of them. An unknown class cannot be compared.
    const above = Math.max(...levels) + 1;
    return known.length < classRefs.length || above > HIGHEST ? null : { acr: String(above), essential: true, classRefOf: usual };
  }
  if (comparison === "maximum") return { acr: String(Math.max(...levels)), essential: false, classRefOf: asked };
  const needed = Math.min(...levels);
  return needed > HIGHEST ? null : { acr: String(needed), essential: true, classRefOf: asked };
}

/** Returns the client's default for requests without RequestedAuthnContext, if the map has a level for it. */
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
  // The user did not authenticate, because an administrator acts as them.
  if (Number(acr) === 0) return AUTHN_CONTEXT.unspecified;
  if (defaultAuthnContextClassRef !== null && Number(acr) === 1) return defaultAuthnContextClassRef;
  if (Number(acr) === 1) return AUTHN_CONTEXT.passwordProtectedTransport;
  const { authnContextMap } = options;
  if (authnContextMap[MFA] === acr) return MFA;
  return Object.keys(authnContextMap).find((ref) => authnContextMap[ref] === acr) ?? AUTHN_CONTEXT.unspecified;
}
