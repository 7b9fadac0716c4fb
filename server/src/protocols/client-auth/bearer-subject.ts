import type { IncomingHttpHeaders } from "node:http";
import { decodeJwt } from "jose";
import type { Form } from "./presented.ts";

const UMA = "urn:ietf:params:oauth:grant-type:uma-ticket";
const BEARER = /^bearer ([\w.-]+)$/i;

/**
 * Converts the request of a public client made for Keycloak, which presents the user's token as `Authorization: Bearer`, not as
 * `subject_token`. The token names the client. Nothing is verified here: the grant accepts the token from no other client. One with a
 * secret must use it.
 */
export function withBearerSubject<R extends { readonly headers: IncomingHttpHeaders; readonly form: Form }>(request: R): R {
  const { headers, form } = request;
  const [, token] = BEARER.exec(headers.authorization ?? "") ?? [];
  if (token === undefined || form.grant_type !== UMA || form.subject_token !== undefined) return request;
  const { authorization: _, ...others } = headers;
  return { ...request, headers: others, form: { ...form, subject_token: token, client_id: form.client_id ?? clientIn(token) } };
}

function clientIn(token: string): string | undefined {
  try {
    const { client_id: id } = decodeJwt(token);
    return typeof id === "string" ? id : undefined;
  } catch {
    return undefined;
  }
}
