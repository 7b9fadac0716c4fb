import { fault, lineText } from "../../providers/members.ts";
import { signedAssertion } from "../client-auth.ts";
import { oidcKind } from "../config.ts";
import { standard } from "../quirks.ts";
import { readSigningKey } from "../signing-key.ts";

export const apple = oidcKind({
  members: {
    teamId: lineText("the team that the key belongs to"),
    keyId: lineText("the id of the key"),
  },
  // The secret is made from the key for each request.
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
      d: "M15.5 2c.1 2-1.6 4-3.5 4-.2-1.9 1.6-3.9 3.5-4ZM12 7.4c1-.6 2.2-1.1 3.5-1 1.6.1 3 .9 3.8 2.2-3.2 2-2.6 6.2.5 7.5-.7 2-2.4 5-4.3 5-1.3 0-1.9-.8-3.5-.8s-2.3.8-3.5.8c-2.6 0-5.3-5-5.3-8.8 0-3.4 2.2-5.8 5-5.8 1.4 0 2.7.6 3.8.9Z",
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
    // Apple sends the name once, beside the signed token, so it is not verified.
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
