import type { RawBuilder } from "kysely";
import { isTooDeep } from "../../../kernel/json.ts";

export const claimTypes = ["string", "number", "boolean", "json"] as const;
export type ClaimType = (typeof claimTypes)[number];

/** The subject of claims, as far as the mappers need it. `subjectData` and `serviceAccountData` read it. */
export interface ClaimSubject {
  /** Null if a client acts in its own name. */
  readonly user: SubjectUser | null;
  /** The JSON of `ofUser` or `ofClient`, by the name of the source. Undefined or null if it was not read, or nothing was found. */
  readonly read: Readonly<Record<string, unknown>>;
}

export interface SubjectUser {
  readonly userId: string;
  readonly username: string;
  readonly email: string | null;
  readonly emailVerified: boolean;
  readonly attributes: Readonly<Record<string, string | readonly string[]>>;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** The client that requests the token, and the session if there is one. */
export interface ClaimContext {
  readonly clientId: string | null;
  readonly session?: SubjectSession | null;
}

export interface SubjectSession {
  /** In epoch milliseconds. The claim is in seconds. */
  readonly authTime: number;
  readonly acr: string | null;
  readonly amr: readonly string[];
  readonly sid: string | null;
  readonly impersonator: string | null;
}

/**
 * The value that a source found. `whole` is written as it is; `values` are converted by the mapper's type and `multivalued`. Null if there
 * is no value.
 */
export type Found = { readonly values: readonly (string | number | boolean)[]; readonly list: boolean } | { readonly whole: object } | null;

/** Returns one value, or none. */
export const one = (value: string | number | boolean | null): Found => (value === null ? null : { values: [value], list: false });
/** Returns values that are always a list. Without any, the claim is an empty list. */
export const many = (values: readonly string[]): Found => ({ values, list: true });

/** One source of claims: the rules for a mapper's `value`, the data that it reads and the values that it finds. */
export interface ClaimSource<Read = unknown> {
  /** The allowed values of `value`. The first is the default. */
  readonly choices?: readonly string[];
  /** The choices in words, if they are not a list. */
  readonly description?: string;
  /** Returns the reason why `value` is refused. By default it is refused if it is none of the choices. */
  refusal?(value: string | null, type: ClaimType): string | null;
  /** The JSON that is read with the user's row, `u`, if a mapper uses this source. */
  readonly ofUser?: RawBuilder<unknown>;
  /** The JSON that is read with the client's row, `a`, for tokens of the client itself. */
  readonly ofClient?: RawBuilder<unknown>;
  find(value: string, found: { readonly user: SubjectUser | null; readonly read: Read | null } & ClaimContext): Found;
}

/** Converts a value to the mapper's type. Returns undefined if it cannot be converted. */
export function convert(value: string | number | boolean, type: ClaimType): unknown {
  if (type === "string") return String(value);
  if (type === "json") return typeof value === "string" ? parsed(value) : value;
  if (typeof value === type) return value;
  const text = String(value).trim();
  if (type === "boolean") return text === "true" ? true : text === "false" ? false : undefined;
  const number = text === "" ? Number.NaN : Number(text);
  return Number.isFinite(number) ? number : undefined;
}

function parsed(text: string): unknown {
  if (isTooDeep(text)) return undefined;
  try {
    return JSON.parse(text, (key, value) => (key === "__proto__" ? undefined : value));
  } catch {
    return undefined; // refused when configured; an attribute that is no JSON is left out
  }
}
