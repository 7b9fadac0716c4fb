import { numberOf, recordOf, textOf, textsOf, type Values } from "../../reading.ts";
import type { KeycloakRealm } from "./export.ts";

export interface CarriedPasskey {
  readonly type: "passkey";
  /** The public key (COSE) in base64url. */
  readonly secret: string;
  readonly data: Record<string, unknown>;
}

/** The member of the realm that names the relying party, by the type of credential. */
const POLICIES: Readonly<Record<string, string>> = {
  webauthn: "webAuthnPolicyRpId",
  "webauthn-passwordless": "webAuthnPolicyPasswordlessRpId",
};

export const isPasskeyType = (type: string): boolean => Object.hasOwn(POLICIES, type);

/** Returns Keycloak's relying party. If the policy names none, it is the host of that server, which an export names only as `frontendUrl`. */
function relyingPartyThere(realm: KeycloakRealm, type: string): string | undefined {
  const { value, input } = realm;
  const frontend = textOf(recordOf(value.attributes).frontendUrl);
  const host = frontend !== undefined && URL.canParse(frontend) ? new URL(frontend).hostname : undefined;
  return textOf(value[POLICIES[type]!]) ?? textOf(input.parameters.rpId) ?? host;
}

/** Converts base64 of either alphabet into base64url. Returns null if the text is neither. */
function base64Url(text: string | undefined): string | null {
  if (text === undefined || !/^[A-Za-z0-9+/_-]+={0,2}$/.test(text)) return null;
  return Buffer.from(text, "base64").toString("base64url");
}

const MAX_LABEL = 255;

/**
 * Translates a passkey, or returns the reason why it is left out. Its user handle, which the authenticator stores, is the user's id in Keycloak as
 * text. An authenticator answers only the relying party for which it was registered.
 */
export function passkeyOf(realm: KeycloakRealm, user: Values, credential: Values, data: Values): CarriedPasskey | string {
  const party = relyingPartyThere(realm, String(credential.type).toLowerCase());
  if (party === undefined)
    return 'The file does not say which host it was made for: send it as a form with a part `parameters`, such as {"rpId":"id.example.com"}';
  if (party !== realm.input.rpId) return "It was made for another host than this realm's (passkeys.rpId): the user registers it again";
  const credentialId = base64Url(textOf(data.credentialId));
  const publicKey = base64Url(textOf(data.credentialPublicKey));
  const userId = textOf(user.id);
  if (credentialId === null || publicKey === null || userId === undefined) return "It is not whole: the user registers it again";
  return {
    type: "passkey",
    secret: publicKey,
    data: {
      ...{
        credentialId,
        userHandle: Buffer.from(userId).toString("base64url"),
        counter: Math.max(0, Math.trunc(numberOf(data.counter) ?? 0)),
      },
      ...{
        transports: textsOf(data.transports)
          .map((one) => one.toLowerCase())
          .filter((one) => /^[a-z-]{1,64}$/.test(one)),
      },
      ...{
        aaguid: textOf(data.aaguid)?.slice(0, 64) ?? "00000000-0000-0000-0000-000000000000",
        label: textOf(credential.userLabel)?.slice(0, MAX_LABEL) ?? null,
      },
    },
  };
}
