import { canonicalJson } from "../../../kernel/json.ts";
import { oauthErrors } from "../../../kernel/oauth-error.ts";

/** A detail of RFC 9396 §2. The resource server interprets the members of a type. */
export interface AuthorizationDetail {
  readonly type: string;
  readonly [member: string]: unknown;
}

const LISTS = ["locations", "actions", "datatypes", "privileges"];
const isText = (value: unknown): boolean => typeof value === "string" && value !== "";
const refuse = oauthErrors.invalidAuthorizationDetails;

/** RFC 9396 §5: parses the details, and refuses types that the realm does not list. Returns none if the realm lists no types. */
export function requestedDetails(text: string | undefined, types: readonly string[]): readonly AuthorizationDetail[] {
  if (text === undefined || types.length === 0) return [];
  const details = parse(text);
  if (!Array.isArray(details)) throw refuse("authorization_details parameter should be a JSON array");
  for (const [at, detail] of details.entries()) checkDetail(detail, at, types);
  return details as AuthorizationDetail[];
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw refuse("could not parse the authorization_details parameter JSON");
  }
}

function checkDetail(detail: unknown, at: number, types: readonly string[]): void {
  const where = `(authorization details index ${at})`;
  if (typeof detail !== "object" || detail === null || Array.isArray(detail))
    throw refuse(`authorization_details members should be a JSON object ${where}`);
  const { type, identifier, ...rest } = detail as Record<string, unknown>;
  if (typeof type !== "string" || !types.includes(type)) throw refuse(`unsupported authorization details type value ${where}`);
  const list = LISTS.find((name) => name in rest && !(Array.isArray(rest[name]) && rest[name].every(isText)));
  if (list !== undefined) throw refuse(`'${list}' must be an array of non-empty strings ${where}`);
  if (identifier !== undefined && !isText(identifier)) throw refuse(`'identifier' must be a non-empty string ${where}`);
}

/** RFC 9396 §6: narrows the granted details to the requested ones. A token request never extends them, and may omit the parameter. */
export function narrowedDetails(
  granted: readonly AuthorizationDetail[],
  requested: readonly AuthorizationDetail[],
): readonly AuthorizationDetail[] {
  if (requested.length === 0) return granted;
  if (addedDetails(granted, requested).length > 0) throw refuse("more than was granted");
  return requested;
}

/** Returns the requested details that are not granted. */
export function addedDetails<Detail extends object>(granted: readonly object[], requested: readonly Detail[]): readonly Detail[] {
  const known = new Set(granted.map(canonicalJson));
  return requested.filter((detail) => !known.has(canonicalJson(detail)));
}
