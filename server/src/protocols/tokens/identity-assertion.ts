import { randomUUID } from "node:crypto";
import type { ClientSnapshot } from "../../applications/clients/index.ts";
import { clock, SECOND } from "../../kernel/clock.ts";
import { algOf, ID_JAG_TYPE, signJwt } from "./jwt.ts";
import type { IssuerParts } from "./parts.ts";

/** The lifetime in seconds. */
export const ASSERTION_LIFETIME = 300;

interface AssertionFor {
  /** The other authorization server. */
  readonly issuer: string;
  /** The client's id at that authorization server. */
  readonly clientId: string;
  readonly scope: string | undefined;
  readonly resource: string | undefined;
}

/** draft-ietf-oauth-identity-assertion-authz-grant §3: signs an assertion about an ID token's user for another authorization server. */
export async function signIdentityAssertion(
  parts: IssuerParts,
  client: ClientSnapshot,
  idToken: Readonly<Record<string, unknown>>,
  { issuer, clientId, scope, resource }: AssertionFor,
): Promise<string> {
  const iat = Math.floor(clock.now() / SECOND);
  const { sub, auth_time, acr, amr, email, email_verified } = idToken;
  const payload = {
    ...{ iss: parts.issuer, sub, aud: issuer, client_id: clientId, jti: randomUUID(), iat, exp: iat + ASSERTION_LIFETIME },
    ...{ auth_time, acr, amr, email, email_verified, scope, resource },
  };
  return signJwt(parts, algOf(parts, client, "idTokenAlg"), ID_JAG_TYPE, JSON.stringify(payload));
}
