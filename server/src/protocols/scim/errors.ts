import type { FastifyReply, FastifyRequest } from "fastify";
import { AppError, defineErrors, type FieldError } from "../../kernel/errors.ts";
import { asAppError, logFailure } from "../../platform/http/index.ts";

export const ERROR = "urn:ietf:params:scim:api:messages:2.0:Error";
export const SCIM_JSON = "application/scim+json; charset=utf-8";

/** The error types of RFC 7644 §3.12 and RFC 9865 §2.1. */
type ScimType =
  | "invalidFilter"
  | "tooMany"
  | "uniqueness"
  | "mutability"
  | "invalidSyntax"
  | "invalidPath"
  | "noTarget"
  | "invalidValue"
  | "invalidCursor"
  | "expiredCursor"
  | "invalidCount"
  | "sensitive";

const CODE = "scim.";

/** Makes a 400 whose code contains the `scimType`. */
export const scimError = (scimType: ScimType, message: string, errors: readonly FieldError[] = []): AppError =>
  new AppError(CODE + scimType, 400, message, { errors });

/** Makes the error for a refused value, with the path of its attribute. */
export const invalidValue = (path: string, message: string): AppError =>
  scimError("invalidValue", `${path}: ${message}`, [{ field: path, code: "invalidValue", message }]);

export const scimErrors = defineErrors("scim", {
  disabled: [403, "SCIM is disabled in this realm. Its administrators can enable it (/provisioning)"],
  token: [401, "A SCIM token of this realm is needed: send it as Authorization: Bearer"],
  not_found: [404, "There is no such resource"],
  forbidden: [403, "The permissions of this SCIM token do not allow this"],
  no_filter: [403, "This endpoint cannot be filtered"],
  no_me: [501, "A SCIM token does not belong to a user, so there is no /Me"],
  shared_user: [403, "This account is not managed by the token's organization: the token may end the membership, and change nothing else"],
  others_below: [
    409,
    "Below this group are groups that are not of the token's organization: an administrator has to move or delete them first",
  ],
  external_id_taken: [409, "Another resource of this connection has this externalId"],
  token_not_found: [404, "No such SCIM token in this realm"],
});

/** RFC 7644 §3.12: renders every error of the SCIM server. */
export function sendScimError(cause: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const error = asAppError(cause);
  logFailure(request, error);
  return reply
    .code(error.status)
    .headers({ ...error.headers, "content-type": SCIM_JSON, "cache-control": "no-store" })
    .serializer(JSON.stringify)
    .send(scimErrorOf(error));
}

/** Makes the error with exactly the members of the RFC, because some clients refuse others. */
export function scimErrorOf(error: AppError) {
  const { status, message, errors = [] } = error;
  const scimType = scimTypeOf(error);
  const detail = errors.length > 1 ? errors.map((each) => each.message).join("; ") : message;
  return { schemas: [ERROR], status: String(status), ...(scimType && { scimType }), detail };
}

const CONFLICTS: ReadonlySet<string> = new Set(["users.login_name_taken", "groups.name_taken", "scim.external_id_taken"]);

/** Returns the `scimType`, which only 400 and 409 have. */
function scimTypeOf({ code, status }: AppError): string | undefined {
  if (status === 409) return CONFLICTS.has(code) ? "uniqueness" : undefined;
  if (status !== 400) return undefined;
  if (code.startsWith(CODE)) return code.slice(CODE.length);
  return code === "request.malformed" ? "invalidSyntax" : "invalidValue";
}
