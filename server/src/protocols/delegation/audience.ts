import type { Audience } from "../gate/index.ts";

/** The tokens by which an agent calls the delegation endpoint: its own, for the realm itself. */
export const delegationAudience: Audience = {
  names: (issuer) => [issuer],
  invalid: "The token is not valid here: an agent calls with its own access token for this realm",
  ignoresCookies: true,
};
