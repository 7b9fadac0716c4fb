import type { AuthenticationResponseJSON, PublicKeyCredentialRequestOptionsJSON } from "@simplewebauthn/server";
import type { Logger } from "pino";
import type { Passkey } from "../../directory/credentials/index.ts";
import { parseObject } from "../../kernel/json.ts";
import { objectIn } from "../../kernel/jws.ts";
import { CHALLENGE_LIFETIME } from "./challenge.store.ts";
import { type RelyingParty, textMembers, transportsOf, webauthn } from "./relying-party.ts";

export type UserVerification = "required" | "preferred" | "discouraged";

/** Returns the request options for the page, as JSON. Without `allowed`, any discoverable passkey of this site identifies its user. */
export function assertionOptions(asked: {
  readonly party: RelyingParty;
  readonly challenge: Uint8Array<ArrayBuffer>;
  readonly allowed: readonly Passkey[];
  readonly userVerification: UserVerification;
}): string {
  const { party, challenge, allowed, userVerification } = asked;
  const options: PublicKeyCredentialRequestOptionsJSON = {
    ...{ rpId: party.id, challenge: Buffer.from(challenge).toString("base64url"), userVerification, timeout: CHALLENGE_LIFETIME },
    allowCredentials: allowed.map(({ credentialId: id, transports }) => ({ id, type: "public-key", transports: transportsOf(transports) })),
  };
  return JSON.stringify(options);
}

/** The browser's response, parsed but not verified. */
export interface Assertion {
  readonly credentialId: string;
  readonly challenge: string;
  readonly userHandle: string | null;
  readonly response: AuthenticationResponseJSON;
}

export function readAssertion(text: string): Assertion | null {
  const sent = parseObject(text);
  const outer = sent && textMembers(sent, ["id", "rawId", "type"]);
  const inner = sent && textMembers(sent.response, ["clientDataJSON", "authenticatorData", "signature"]);
  if (!outer || !inner || outer.type !== "public-key") return null;
  const { userHandle } = sent.response as { userHandle?: unknown };
  const challenge = challengeIn(inner.clientDataJSON);
  if (challenge === null) return null;
  return {
    ...{ credentialId: outer.id, challenge, userHandle: typeof userHandle === "string" ? userHandle : null },
    response: { ...outer, type: "public-key", response: inner, clientExtensionResults: {} },
  };
}

/** Returns the challenge. Returns null for a response from a frame in another site's page too, because our pages are never in one. */
export function challengeIn(clientDataJSON: string): string | null {
  const { challenge, crossOrigin } = objectIn(clientDataJSON) ?? {};
  return typeof challenge === "string" && crossOrigin !== true ? challenge : null;
}

export interface CheckedAssertion {
  readonly counter: number;
  readonly backedUp: boolean;
  readonly userVerified: boolean;
  /** True if its signature counter went back, which means that there is a copy. */
  readonly isCopy: boolean;
}

/** Verifies signature, origin, relying party and presence. Returns null if one fails. The caller checks whether the user was verified. */
export async function checkAssertion(
  { response, challenge }: Assertion,
  { party, passkey, log }: { readonly party: RelyingParty; readonly passkey: Passkey; readonly log: Logger },
): Promise<CheckedAssertion | null> {
  const { verifyAuthenticationResponse } = await webauthn();
  const checked = await verifyAuthenticationResponse({
    response,
    expectedChallenge: challenge,
    expectedOrigin: party.origin,
    expectedRPID: party.id,
    requireUserVerification: false,
    // The library checks the counter before the signature. Only a verified signature may reveal a copy, so the library gets 0.
    credential: { id: passkey.credentialId, publicKey: new Uint8Array(Buffer.from(passkey.publicKey, "base64url")), counter: 0 },
  }).catch((error: Error) => {
    log.debug({ reason: error.message }, "a passkey was refused");
    return null;
  });
  if (!checked?.verified) return null;
  const { newCounter: counter, credentialBackedUp: backedUp, userVerified } = checked.authenticationInfo;
  // WebAuthn §6.1.1: passkeys without a counter stay at 0.
  const isCopy = (counter > 0 || passkey.counter > 0) && counter <= passkey.counter;
  return { counter, backedUp, userVerified, isCopy };
}
