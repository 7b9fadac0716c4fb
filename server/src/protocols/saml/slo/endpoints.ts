import type { SamlClientSnapshot } from "../../../applications/saml-clients/index.ts";
import { BINDING, type LogoutRequest, type NameId } from "../../../platform/saml/index.ts";

/** The data of a service provider in `session_participants`, which single sign-on stores. */
export interface SamlParticipant {
  readonly sessionIndex: string;
  readonly nameId: NameId;
}

export const toParticipant = (stored: Record<string, unknown>): SamlParticipant => stored as unknown as SamlParticipant;

/** SAML core §3.7.3: tells whether the request names this session. Without SessionIndex it names every session of the subject. */
export const isNamedBy = (
  { nameId, sessionIndexes }: Pick<LogoutRequest, "nameId" | "sessionIndexes">,
  participant: SamlParticipant,
): boolean =>
  isSameNameId(nameId, participant.nameId) && (sessionIndexes.length === 0 || sessionIndexes.includes(participant.sessionIndex));

/** SAML core §2.2.2, §3.3.4: compares NameIDs. A service provider may omit the members beside the value, but not change them. */
function isSameNameId(asked: NameId, issued: NameId): boolean {
  const agrees = (member: "format" | "nameQualifier" | "spNameQualifier") => asked[member] === null || asked[member] === issued[member];
  return asked.value === issued.value && agrees("format") && agrees("nameQualifier") && agrees("spNameQualifier");
}

export type BrowserBinding = "redirect" | "post";

/** A single logout service of a service provider, for messages that the browser carries. */
export interface BrowserEndpoint {
  readonly binding: BrowserBinding;
  /** The address for requests. */
  readonly location: string;
  /** The address for responses (SAML metadata §2.2.2). */
  readonly responseLocation: string;
}

/** Returns the endpoint with the preferred binding or, if there is none, with the other one. */
export function browserEndpoint(
  { singleLogoutServices }: SamlClientSnapshot,
  preferred: BrowserBinding = "redirect",
): BrowserEndpoint | null {
  for (const binding of preferred === "redirect" ? (["redirect", "post"] as const) : (["post", "redirect"] as const)) {
    const found = singleLogoutServices.find((service) => service.binding === BINDING[binding]);
    if (found) return { binding, location: found.location, responseLocation: found.responseLocation ?? found.location };
  }
  return null;
}

/** Returns the address for requests over SOAP, or null if it is not called. Must agree with `withBackChannelLogout`. */
export function backChannelLocation({ enabled, options, singleLogoutServices }: SamlClientSnapshot): string | null {
  if (!enabled || !options.backChannelSloEnabled) return null;
  return singleLogoutServices.find(({ binding }) => binding === BINDING.soap)?.location ?? null;
}
