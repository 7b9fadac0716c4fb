import { STATUS_CODES } from "node:http";
import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";
import Type, { type Static } from "typebox";
import { AppError, type FieldError, malformed } from "../../kernel/errors.ts";
import { isDatabaseUnavailable } from "../db/index.ts";
import { toFieldErrors } from "./validation.ts";

/** A problem document (RFC 9457). */
export const Problem = Type.Object(
  {
    type: Type.String({ description: "A URN that identifies the code" }),
    title: Type.String(),
    status: Type.Integer(),
    code: Type.String({ description: "A stable, dotted code for programs", examples: ["users.login_name_taken"] }),
    detail: Type.String({ description: "A text for users: what happened and what to do" }),
    requestId: Type.String(),
    errors: Type.Optional(
      Type.Array(Type.Object({ field: Type.String(), code: Type.String(), message: Type.String() }), {
        description: "On 400: every field that is not valid. Also present if a document is refused for another reason",
      }),
    ),
    stepUpUrl: Type.Optional(
      Type.String({
        description:
          "On 403, if the session's authentication is not sufficient: the page on which its user signs in again. `return_to` in its query is the path to return to. " +
          "`WWW-Authenticate` says the same to an application (RFC 9470)",
      }),
    ),
  },
  { $id: "Problem" },
);
export type Problem = Static<typeof Problem>;

/** RFC 9110 renamed 413; Node.js still has the old title. */
const titleOf = (status: number): string => (status === 413 ? "Content Too Large" : (STATUS_CODES[status] ?? "Error"));

/** Turns any error into an AppError. An unexpected error becomes a 500 without details. */
export function asAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const { validation, validationContext, statusCode, code } = error as FastifyError;
  if (validation) {
    const errors = toFieldErrors(validation, validationContext);
    return new AppError("request.invalid", 400, sentence(errors), { errors, cause: error });
  }
  if (code === "FST_ERR_CTP_BODY_TOO_LARGE")
    return new AppError("request.too_large", 413, "The body is larger than this endpoint accepts", { cause: error });
  if (code === "FST_ERR_CTP_INVALID_MEDIA_TYPE") {
    return new AppError(
      "request.media_type",
      415,
      "This content type is not accepted here: send application/json, or a form where one is asked for",
      { cause: error },
    );
  }
  if (code === "FST_ERR_CTP_INVALID_CONTENT_LENGTH" || code === "FST_ERR_CTP_EMPTY_JSON_BODY") {
    return malformed("The body is empty or shorter than announced", error);
  }
  if (statusCode && statusCode >= 400 && statusCode < 500) {
    return new AppError("request.refused", statusCode, titleOf(statusCode), { cause: error });
  }
  if (isDatabaseUnavailable(error)) {
    return new AppError("server.database_unavailable", 503, "The database cannot be reached; try again shortly", {
      cause: error,
      headers: { "retry-after": "2" },
    });
  }
  return new AppError("server.internal", 500, "Something went wrong on our side. The request id helps to find out what.", { cause: error });
}

export const notFound = () => new AppError("request.not_found", 404, "There is nothing at this address");

const sentence = (errors: readonly FieldError[]) =>
  errors.length === 1 ? errors[0]!.message : `${errors.length} members of the request are not valid`;

export const problemOf = ({ code, status, message, errors = [], stepUpUrl }: AppError, requestId: string): Problem => ({
  type: `urn:gatehouse:problem:${code}`,
  title: titleOf(status),
  status,
  code,
  detail: message,
  requestId,
  ...((status === 400 || errors.length > 0) && { errors: [...errors] }),
  ...(stepUpUrl !== undefined && { stepUpUrl }),
});

export function sendProblem(reply: FastifyReply, request: FastifyRequest, error: AppError): FastifyReply {
  return reply
    .code(error.status)
    .headers({ ...error.headers, "content-type": "application/problem+json; charset=utf-8", "cache-control": "no-store" })
    .serializer(JSON.stringify)
    .send(problemOf(error, request.id));
}

/** Answers any error as a problem document. */
export function answerProblem(cause: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const error = asAppError(cause);
  logFailure(request, error);
  return sendProblem(reply, request, error);
}

/** Logs an error page. The request id that the page shows leads to this line. */
export function logShownError(
  request: FastifyRequest,
  shown: { readonly error: string; readonly reason: string; readonly clientId?: string },
): void {
  request.log.info({ realm: request.realmId, ...shown }, "an error page was shown");
}

/** Logs a failure in one line. Causes are for the log, never for the answer. */
export function logFailure(request: FastifyRequest, error: AppError): void {
  if (error.status >= 500) request.log.error({ err: error.cause ?? error, code: error.code }, "request failed");
  else request.log.debug({ code: error.code }, "request refused");
}
