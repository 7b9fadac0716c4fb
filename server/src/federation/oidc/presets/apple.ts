import { lineText } from "../../../platform/http/index.ts";
import { fault } from "../../providers/members.ts";
import { signedAssertion } from "../client-auth.ts";
import { oidcKind } from "../config.ts";
import { standard } from "../quirks.ts";
import { readSigningKey } from "../signing-key.ts";

export const apple = oidcKind({
  members: {
    teamId: lineText("the team that the key belongs to"),
    keyId: lineText("the id of the key"),
  },
  // The client secret is signed with the key for each request.
  without: ["clientSecret", "clientSecretSet", "clientAuthMethod"],
  required: ["teamId", "keyId"],
  defaults: {
    scopes: ["name", "email"],
    issuer: "https://appleid.apple.com",
    authorizationUrl: "https://appleid.apple.com/auth/authorize",
    tokenUrl: "https://appleid.apple.com/auth/token",
    jwksUrl: "https://appleid.apple.com/auth/keys",
  },
  check: ({ secrets: { privateKey } }) => {
    if (privateKey === undefined) return [fault("privateKey", "is required: Apple's .p8 file")];
    return (readSigningKey(privateKey)?.alg ?? "ES256") === "ES256" ? [] : [fault("privateKey", "must be a P-256 key: Apple's .p8 file")];
  },
  mark: [
    {
      d: "M12.152 6.896c-.948 0-2.415-1.078-3.96-1.04-2.04.027-3.91 1.183-4.961 3.014-2.117 3.675-.546 9.103 1.519 12.09 1.013 1.454 2.208 3.09 3.792 3.039 1.52-.065 2.09-.987 3.935-.987 1.831 0 2.35.987 3.96.948 1.637-.026 2.676-1.48 3.676-2.948 1.156-1.688 1.636-3.325 1.662-3.415-.039-.013-3.182-1.221-3.22-4.857-.026-3.04 2.48-4.494 2.597-4.559-1.429-2.09-3.623-2.324-4.39-2.376-2-.156-3.675 1.09-4.61 1.09zM15.53 3.83c.843-1.012 1.4-2.427 1.245-3.83-1.207.052-2.662.805-3.532 1.818-.78.896-1.454 2.338-1.273 3.714 1.338.104 2.715-.688 3.559-1.701",
    },
  ],
  quirks: {
    ...standard,
    parameters: () => ({ response_mode: "form_post" }),
    async credentials({ config, secrets }) {
      const clientId = String(config.clientId);
      const assertion = { ...config, iss: String(config.teamId), aud: String(config.issuer) };
      return { client_id: clientId, client_secret: await signedAssertion(secrets.privateKey, clientId, assertion) };
    },
    // Apple sends the name once, beside the signed token. So the name is not verified.
    answerClaims({ user }) {
      try {
        const { name } = JSON.parse(user ?? "{}") as { name?: { firstName?: unknown; lastName?: unknown } };
        return { given_name: name?.firstName, family_name: name?.lastName };
      } catch {
        return {};
      }
    },
  },
});
