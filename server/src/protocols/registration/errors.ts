import type { FastifyReply, FastifyRequest } from "fastify";
import { AppError, defineErrors, type FieldError } from "../../kernel/errors.ts";
import { asAppError, logFailure } from "../../platform/http/index.ts";
import { inOAuthWords } from "./metadata/metadata.schema.ts";

export const registrationErrors = defineErrors("registration", {
  disabled: [403, "Clients cannot register themselves in this realm. Its administrators can allow it"],
  client_disabled: [403, "This client was disabled by an administrator of the realm"],
  invalid_token: [401, "A valid access token is needed: send it as Authorization: Bearer"],
  token_not_found: [404, "No such initial access token in this realm"],
});

/** RFC 7591 §3.2.2: makes the error for one member of the metadata. */
export const invalidMetadata = (member: string, message: string, cause?: unknown): AppError =>
  new AppError("registration.invalid_metadata", 400, message, { cause, errors: [{ field: member, code: "metadata", message }] });

/** RFC 7591 §3.2.2 and RFC 6750 §3: renders errors of registration. */
export function sendRegistrationError(cause: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const error = asAppError(cause);
  logFailure(request, error);
  if (error.status === 401) reply.header("www-authenticate", request.presentedToken === null ? "Bearer" : 'Bearer error="invalid_token"');
  return reply
    .code(error.status)
    .headers({ ...error.headers, "content-type": "application/json; charset=utf-8", "cache-control": "no-store" })
    .serializer(JSON.stringify)
    .send({ error: nameOf(error), error_description: description(error) });
}

const NAMES: Readonly<Record<number, string>> = {
  ...{ 401: "invalid_token", 403: "access_denied", 429: "temporarily_unavailable", 503: "temporarily_unavailable" },
};

function nameOf({ status, errors = [] }: AppError): string {
  if (status === 400) return errors.length > 0 && errors.every(isAboutRedirects) ? "invalid_redirect_uri" : "invalid_client_metadata";
  return NAMES[status] ?? (status >= 500 ? "server_error" : "invalid_request");
}

const isAboutRedirects = ({ field }: FieldError): boolean => /^(redirectUris|redirect_uris)\b/.test(field);

/** Describes all errors, with the metadata names of the members. */
const description = ({ errors = [], message }: AppError): string =>
  inOAuthWords(errors.length > 0 ? errors.map((each) => each.message).join("; ") : message);
