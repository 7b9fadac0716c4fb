// The grant types of the token endpoint, one file each.
import type { GrantType } from "../../../applications/clients/index.ts";
import type { Grant } from "../grant.ts";
import { authorizationCode } from "./authorization-code.ts";
import { clientCredentials } from "./client-credentials.ts";
import { ciba, deviceCode } from "./decoupled.ts";
import { ID_JAG, identityAssertion } from "./identity-assertion.ts";
import { jwtBearer } from "./jwt-bearer.ts";
import { password } from "./password.ts";
import { refreshToken } from "./refresh-token.ts";
import { tokenExchange } from "./token-exchange.ts";
import { umaTicket } from "./uma-ticket.ts";

export const grants: Readonly<Record<GrantType, Grant>> = {
  authorization_code: authorizationCode,
  refresh_token: refreshToken,
  client_credentials: clientCredentials,
  password,
  "urn:ietf:params:oauth:grant-type:device_code": deviceCode,
  "urn:openid:params:grant-type:ciba": ciba,
  "urn:ietf:params:oauth:grant-type:token-exchange": tokenExchange,
  "urn:ietf:params:oauth:grant-type:jwt-bearer": jwtBearer,
  "urn:ietf:params:oauth:grant-type:uma-ticket": umaTicket,
};

/** Returns the grant of a grant type. Token exchange (RFC 8693) has one for access tokens, and one for identity assertions. */
export const grantOf = (type: GrantType, requestedTokenType: unknown): Grant =>
  type === "urn:ietf:params:oauth:grant-type:token-exchange" && requestedTokenType === ID_JAG ? identityAssertion : grants[type];
