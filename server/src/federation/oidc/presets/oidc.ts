import { fault } from "../../providers/members.ts";
import { oidcKind } from "../config.ts";
import { standard } from "../quirks.ts";

/** Any OpenID provider. The issuer is required for discovery, and to verify every ID token. */
export const oidc = oidcKind({
  defaults: { scopes: ["openid", "email", "profile"] },
  check: ({ config }) => (config.issuer === undefined ? [fault("issuer", "is required")] : []),
  quirks: { ...standard, asksForAuthTime: true },
});
