import Type from "typebox";
import { lineText } from "../../../platform/http/index.ts";
import { oidcKind } from "../config.ts";
import { claimText } from "../quirks.ts";

/** OAuth 2 alone. There is no ID token: the profile, read with the access token, tells who signed in. */
export const oauth2 = oidcKind({
  members: { subjectClaim: Type.Optional(lineText("the claim that never changes and is never given to another user. Default sub")) },
  required: ["authorizationUrl", "tokenUrl", "userinfoUrl"],
  defaults: { scopes: [], subjectClaim: "sub" },
  subjectMembers: ["subjectClaim", "userinfoUrl"],
  quirks: { idToken: false, nonce: false, subject: (claims, { config }) => claimText(claims[String(config.subjectClaim)]) },
});
