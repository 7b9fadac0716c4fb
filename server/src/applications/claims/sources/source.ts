import type { RawBuilder } from "kysely";
import { isTooDeep } from "../../../kernel/json.ts";

export const claimTypes = ["string", "number", "boolean", "json"] as const;
export type ClaimType = (typeof claimTypes)[number];

/** The subject of claims, as far as the mappers need it. `subjectData` and `serviceAccountData` read it. */
export interface ClaimSubject {
  /** Null: a client that acts in its own name. */
  readonly user: SubjectUser | null;
  /** By the name of a source: the JSON of its `ofUser` or `ofClient`. Not read, or nothing found: undefined or null. */
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
  /** Epoch milliseconds; the claim is in seconds. */
  readonly authTime: number;
  readonly acr: string | null;
  readonly amr: readonly string[];
  readonly sid: string | null;
  readonly impersonator: string | null;
}

/** `whole` is written as it is; `values` become what the mapper's type and `multivalued` ask for. Null: there is no value. */
export type Found = { readonly values: readonly (string | number | boolean)[]; readonly list: boolean } | { readonly whole: object } | null;

/** One value, or none. */
export const one = (value: string | number | boolean | null): Found => (value === null ? null : { values: [value], list: false });
/** Values that are a list by nature: without any, the claim is an empty list. */
export const many = (values: readonly string[]): Found => ({ values, list: true });

/** One source of claims: the rules for a mapper's `value`, the data that it reads and the values that it finds. */
export interface ClaimSource<Read = unknown> {
  /** The allowed values of `value`; the first is the default. */
  readonly choices?: readonly string[];
  /** The choices in words, where they are not a list. */
  readonly description?: string;
  /** Why `value` is refused; by default if it is none of the choices. */
  refusal?(value: string | null, type: ClaimType): string | null;
  /** JSON that is read with the user's row, `u`, if a mapper uses this source. */
  readonly ofUser?: RawBuilder<unknown>;
  /** JSON that is read with the client's row, `a`, for tokens of the client itself. */
  readonly ofClient?: RawBuilder<unknown>;
  find(value: string, found: { readonly user: SubjectUser | null; readonly read: Read | null } & ClaimContext): Found;
}

/** A value of the mapper's type; undefined: it cannot be converted. */
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
