import Type from "typebox";
import { lineText } from "../../../platform/http/index.ts";
import { oidcKind } from "../config.ts";
import { saysVerified, standard } from "../quirks.ts";

export const google = oidcKind({
  members: { hostedDomain: Type.Optional(lineText("the only Google Workspace domain whose accounts can sign in")) },
  defaults: {
    scopes: ["openid", "email", "profile"],
    issuer: "https://accounts.google.com",
    authorizationUrl: "https://accounts.google.com/o/oauth2/v2/auth",
    tokenUrl: "https://oauth2.googleapis.com/token",
    userinfoUrl: "https://openidconnect.googleapis.com/v1/userinfo",
    jwksUrl: "https://www.googleapis.com/oauth2/v3/certs",
  },
  mark: [
    { d: "M12 3a9 9 0 0 1 6.4 2.6l-2.8 2.7A5.1 5.1 0 0 0 12 7a5 5 0 0 0-4.7 3.2L4.1 7.7A9 9 0 0 1 12 3Z", fill: "#e5483a" },
    { d: "M4.1 7.7l3.2 2.5a5 5 0 0 0 0 3.6l-3.2 2.5a9 9 0 0 1 0-8.6Z", fill: "#f2b01e" },
    { d: "M4.1 16.3l3.2-2.5A5 5 0 0 0 12 17c1.1 0 2-.3 2.8-.8l3.1 2.4A9 9 0 0 1 4.1 16.3Z", fill: "#2fa455" },
    { d: "M12 10.4h8.8a9 9 0 0 1-2.9 8.2l-3.1-2.4a4.3 4.3 0 0 0 1.9-2.4H12Z", fill: "#3f7de8" },
  ],
  quirks: {
    ...standard,
    freshPrompt: "select_account",
    parameters: ({ config }) => (typeof config.hostedDomain === "string" ? { hd: config.hostedDomain } : {}),
    // An address outside of Google may have a new owner since Google verified it.
    isVerified: (claims) => saysVerified(claims) && (typeof claims.hd === "string" || /@gmail\.com$/i.test(String(claims.email))),
    refuse: ({ config }, { hd }) => (config.hostedDomain !== undefined && hd !== config.hostedDomain ? "domain" : null),
  },
});
