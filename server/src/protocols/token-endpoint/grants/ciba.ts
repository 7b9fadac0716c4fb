import { decoupledGrant } from "./decoupled.ts";

/** OpenID Connect Client-Initiated Backchannel Authentication §10.1 */
export const ciba = decoupledGrant({
  type: "urn:openid:params:grant-type:ciba",
  model: "BackchannelAuthenticationRequest",
  parameter: "auth_req_id",
  gty: "ciba",
});
