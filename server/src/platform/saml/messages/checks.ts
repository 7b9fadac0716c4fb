import { SamlError } from "../errors.ts";
import { BEARER } from "../names.ts";
import type { Assertion, SubjectConfirmation } from "./assertion.ts";
import type { Envelope } from "./envelope.ts";
import type { OpenedResponse } from "./response.ts";

/** The clocks of peers may differ from ours by this many milliseconds. */
export const CLOCK_SKEW = 60_000;

/** A service provider's expectations of the response to its request. */
export interface ExpectedSignIn {
  readonly now: number;
  /** The identity provider's entityID. */
  readonly issuer: string;
  /** Our own entityID. */
  readonly audience: string;
  /** The assertion consumer service at which it arrived. */
  readonly recipient: string;
  /** The ID of the request that this browser has sent. Null if a response without a request is allowed. */
  readonly inResponseTo: string | null;
  readonly requireSignedResponse?: boolean;
  readonly requireSignedAssertion?: boolean;
  readonly requireEncryptedAssertion?: boolean;
  readonly clockSkew?: number;
}

/**
 * Checks that a response is meant for us, now, and for our request (SAML profiles §4.1.4.3). The caller still has to ensure that the request is answered once,
 * and that the assertion is used once until `until`.
 */
export function checkSignIn(opened: OpenedResponse, expected: ExpectedSignIn): { assertion: Assertion; until: number } {
  const { response, assertion } = opened;
  destinationIsOurs(response, [expected.recipient], opened.responseSigned);
  if (response.issuer !== null) issuerIs(response.issuer, expected);
  answersOurRequest(response.inResponseTo, expected);
  if (!assertion) throw new SamlError("status", `The provider answers ${response.status.subCode ?? response.status.code}`);
  if (expected.requireSignedResponse && !opened.responseSigned) throw new SamlError("unsigned", "The Response has to be signed");
  if (expected.requireSignedAssertion && !opened.assertionSigned) throw new SamlError("unsigned", "The assertion has to be signed");
  if (expected.requireEncryptedAssertion && !opened.assertionEncrypted)
    throw new SamlError("unencrypted", "The assertion has to be encrypted");
  issuerIs(assertion.issuer, expected);
  conditionsHold(assertion, expected);
  audienceIsUs(assertion, expected);
  authenticationIsNotOver(assertion, expected);
  return { assertion, until: bearerIsConfirmed(assertion, expected) };
}

/**
 * Checks the destination (SAML bindings §3.4.5.2, §3.5.5.2). A signed message names the address to which it was sent; if that is another one, the message was
 * meant for another recipient.
 */
export function destinationIsOurs({ destination }: Pick<Envelope, "destination">, ours: readonly string[], signed: boolean): void {
  if (destination === null || destination === "" ? signed : !ours.includes(destination))
    throw new SamlError("destination", "The message was not sent to this address");
}

function issuerIs(issuer: string, expected: ExpectedSignIn): void {
  if (issuer !== expected.issuer) throw new SamlError("issuer", "The issuer is another provider");
}

/**
 * Checks that a message was issued in the last `maxAge`, and that it has not ended (SAML core §3.2.1, §3.7.1). Returns the time until which the same message
 * would be accepted again.
 */
export function acceptedUntil(
  { issueInstant, notOnOrAfter = null }: { readonly issueInstant: number; readonly notOnOrAfter?: number | null },
  { now, maxAge, clockSkew }: { readonly now: number; readonly maxAge: number; readonly clockSkew: number },
): number {
  if (issueInstant > now + clockSkew) throw new SamlError("not_yet_valid", "The message was issued in the future");
  const until = Math.min(issueInstant + maxAge, notOnOrAfter ?? Number.POSITIVE_INFINITY) + clockSkew;
  if (until <= now) throw new SamlError("expired", "The message is too old, or has expired");
  return until;
}

/** Checks that the response names our request, or none if there was none (SAML profiles §4.1.4.3, §4.1.5). */
function answersOurRequest(inResponseTo: string | null, expected: ExpectedSignIn): void {
  if (inResponseTo !== expected.inResponseTo) throw new SamlError("in_response_to", "The message does not answer the request");
}

/** SAML core §2.5.1.2. */
function conditionsHold({ conditions }: Assertion, { now, clockSkew = CLOCK_SKEW }: ExpectedSignIn): void {
  if (!conditions) throw new SamlError("conditions", "Assertion has no Conditions");
  withinTimes(conditions, now, clockSkew);
}

function withinTimes(times: { notBefore: number | null; notOnOrAfter: number | null }, now: number, skew: number): void {
  if (times.notBefore !== null && now + skew < times.notBefore) throw new SamlError("not_yet_valid", "The assertion is not valid yet");
  if (times.notOnOrAfter !== null && now - skew >= times.notOnOrAfter) throw new SamlError("expired", "The assertion has expired");
}

/** Checks the audience: every restriction has to name us (SAML core §2.5.1.4), and there has to be one (SAML profiles §4.1.4.2). */
function audienceIsUs({ conditions }: Assertion, { audience }: ExpectedSignIn): void {
  const restrictions = conditions?.audienceRestrictions ?? [];
  if (restrictions.length === 0 || !restrictions.every((audiences) => audiences.includes(audience)))
    throw new SamlError("audience", "The assertion is meant for another service");
}

/** Checks that there is an AuthnStatement (SAML profiles §4.1.4.2) and that its session has not ended (SAML core §2.7.2). */
function authenticationIsNotOver({ authnStatements }: Assertion, { now, clockSkew = CLOCK_SKEW }: ExpectedSignIn): void {
  if (authnStatements.length === 0) throw new SamlError("authn_statement", "Assertion has no AuthnStatement");
  for (const { authnInstant, sessionNotOnOrAfter } of authnStatements) {
    if (authnInstant > now + clockSkew) throw new SamlError("authn_statement", "The authentication lies in the future");
    if (sessionNotOnOrAfter !== null && now - clockSkew >= sessionNotOnOrAfter)
      throw new SamlError("expired", "The session at the provider has ended");
  }
}

/** Checks that a bearer confirmation names our address and our request, has an end and has no beginning (SAML profiles §4.1.4.2). */
function bearerIsConfirmed({ subject }: Assertion, expected: ExpectedSignIn): number {
  const skew = expected.clockSkew ?? CLOCK_SKEW;
  const holds = ({ method, recipient, inResponseTo, notBefore, notOnOrAfter }: SubjectConfirmation): boolean =>
    method === BEARER &&
    recipient === expected.recipient &&
    inResponseTo === expected.inResponseTo &&
    notBefore === null &&
    notOnOrAfter !== null &&
    expected.now - skew < notOnOrAfter;
  const found = subject?.confirmations.find(holds);
  if (!found) throw new SamlError("subject_confirmation", "Assertion has no bearer confirmation that holds here and now");
  return found.notOnOrAfter! + skew;
}
