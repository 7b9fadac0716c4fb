import { decoupledGrant } from "./decoupled.ts";

/** OpenID Connect Client-Initiated Backchannel Authentication §10.1 */
export const ciba = decoupledGrant({
  model: "BackchannelAuthenticationRequest",
  parameter: "auth_req_id",
  gty: "ciba",
});
