import type { LogoutRequest, NameId } from "../../../platform/saml/index.ts";

/** The data of a service provider in `session_participants`, stored by single sign-on. */
export interface SamlParticipant {
  readonly sessionIndex: string;
  readonly nameId: NameId;
}

export const toParticipant = (stored: Record<string, unknown>): SamlParticipant => stored as unknown as SamlParticipant;

/** SAML core §3.7.3: the request names this participant's session; no SessionIndex means every session of the subject. */
export const isNamedBy = (
  { nameId, sessionIndexes }: Pick<LogoutRequest, "nameId" | "sessionIndexes">,
  participant: SamlParticipant,
): boolean =>
  isSameNameId(nameId, participant.nameId) && (sessionIndexes.length === 0 || sessionIndexes.includes(participant.sessionIndex));

/** SAML core §2.2.2, §3.3.4: service providers may leave out what they were sent beside the value, but not say something else. */
function isSameNameId(asked: NameId, issued: NameId): boolean {
  const agrees = (member: "format" | "nameQualifier" | "spNameQualifier") => asked[member] === null || asked[member] === issued[member];
  return asked.value === issued.value && agrees("format") && agrees("nameQualifier") && agrees("spNameQualifier");
}
