import { canonicalJson } from "../../../kernel/json.ts";
import { oauthErrors } from "../../../kernel/oauth-error.ts";
import { hidesText } from "../../../kernel/text.ts";

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
  if (hidesPart(detail)) throw refuse(`${HIDDEN} ${where}`);
}

export const HIDDEN = "a text has invisible characters, or characters that change its direction";

/** Tells whether a text in the detail, or the name of a member, is not what the user who decides about it sees. */
export function hidesPart(value: unknown): boolean {
  if (typeof value === "string") return hidesText(value);
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).some(([name, member]) => hidesText(name) || hidesPart(member));
}

/** Returns the whole detail as text for the pages on which users decide about it. */
export const detailText = ({ type, ...members }: AuthorizationDetail): string =>
  [type, ...Object.entries(members).map(memberText)].join(" · ");

const memberText = ([name, value]: [string, unknown]): string =>
  `${name}: ${typeof value === "string" ? value : Array.isArray(value) && value.every((each) => typeof each === "string") ? value.join(", ") : JSON.stringify(value)}`;

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
