import { oidcKind } from "../config.ts";
import { standard } from "../quirks.ts";

export const linkedin = oidcKind({
  defaults: {
    scopes: ["openid", "email", "profile"],
    issuer: "https://www.linkedin.com/oauth",
    authorizationUrl: "https://www.linkedin.com/oauth/v2/authorization",
    tokenUrl: "https://www.linkedin.com/oauth/v2/accessToken",
    userinfoUrl: "https://api.linkedin.com/v2/userinfo",
    jwksUrl: "https://www.linkedin.com/oauth/openid/jwks",
    clientAuthMethod: "client_secret_post",
    // Its token endpoint answers `invalid_client` to a confidential client that sends a code verifier.
    pkce: false,
  },
  mark: [
    { d: "M5 2.5h14A2.5 2.5 0 0 1 21.5 5v14a2.5 2.5 0 0 1-2.5 2.5H5A2.5 2.5 0 0 1 2.5 19V5A2.5 2.5 0 0 1 5 2.5Z", fill: "#1f6fbf" },
    {
      d: "M6 9.8h2.6V18H6Zm1.3-4.1a1.5 1.5 0 1 1 0 3 1.5 1.5 0 0 1 0-3ZM10.3 9.8h2.5v1.1c.4-.7 1.3-1.3 2.6-1.3 2.1 0 3 1.3 3 3.5V18h-2.6v-4.4c0-1-.3-1.7-1.3-1.7-1.1 0-1.6.8-1.6 1.8V18h-2.6Z",
      fill: "#fff",
    },
  ],
  quirks: { ...standard, nonce: false },
});
