import { AppError } from "../../kernel/errors.ts";
import { cut, loginKey } from "../../kernel/text.ts";
import { buildValidator, toFieldErrors } from "../../platform/http/index.ts";
import { isKnownHash, storedForm } from "../../platform/passwords/index.ts";
import type { Fault, RawRow } from "./readers/index.ts";
import { ImportUser, type RowError } from "./schema.ts";

/** A row that has passed every rule that can be checked without the database. */
export interface ReadyRow {
  readonly row: number;
  readonly line: number;
  readonly user: ImportUser;
  readonly usernameKey: string;
  readonly emailKey: string | null;
  /** The keys, of these two, by which the user does not sign in. */
  readonly inactiveKeys: ReadonlySet<string>;
  readonly createdAt: number | null;
  /** The row's own hash, or the hash of the row's password, which is made before the batch is written. */
  passwordHash: string | null;
}
export type CheckedRow = ReadyRow | { readonly row: number; readonly line: number; readonly fault: Fault };

export const isReady = (row: CheckedRow): row is ReadyRow => !("fault" in row);
/** The keys that no other user may have: those by which the user signs in. */
export const keysOf = ({ usernameKey, emailKey, inactiveKeys }: ReadyRow): string[] =>
  [...new Set([usernameKey, emailKey])].filter((key) => key !== null && !inactiveKeys.has(key)) as string[];

type Validate = ((value: unknown) => boolean) & { errors?: Parameters<typeof toFieldErrors>[0] | null };
const validate = buildValidator({})({ schema: ImportUser, httpPart: "body" }) as Validate;

const MAX_MESSAGE = 500;

/** Checks a row by the rules of `POST /users`, and reports faults in the same words. */
export function checkRow(raw: RawRow, now: number): CheckedRow {
  const { row, line, value } = raw;
  const refused = (fault: Fault): CheckedRow => ({ row, line, fault });
  if (raw.fault) return refused(raw.fault);
  if (!validate(value)) {
    const faults = toFieldErrors(validate.errors ?? [], "row");
    return refused({ code: "request.invalid", message: faults.map(({ message }) => message).join("; ") });
  }
  const user = value as ImportUser;
  const createdAt = user.createdAt === undefined ? null : timeOf(user.createdAt);
  const fault =
    (createdAt !== null && faultOfTime(createdAt, now)) ||
    faultOfPassword(user) ||
    faultOfCredentials(user) ||
    faultOfName(user) ||
    faultOfId(user);
  if (fault) return refused(fault);
  const { username, email = null, inactiveLoginNames = [] } = user;
  const keys = { username: loginKey(username), email: email === null ? null : loginKey(email) };
  return {
    row,
    line,
    user,
    usernameKey: keys.username,
    emailKey: keys.email,
    // An address that is also the username is active, unless the row names the username as inactive.
    inactiveKeys: new Set(
      inactiveLoginNames.filter((name) => name === "username" || keys.email !== keys.username).flatMap((name) => keys[name] ?? []),
    ),
    createdAt,
    passwordHash: user.passwordHash === undefined ? null : storedForm(user.passwordHash),
  };
}

const timeOf = (time: string | number): number => (typeof time === "number" ? time : Date.parse(time));

const faultOfTime = (time: number, now: number): Fault | null =>
  time >= 0 && time <= now ? null : { code: "request.invalid", message: "createdAt must lie between 1970 and now" };

function faultOfName({ email, emailVerified, inactiveLoginNames = [] }: ImportUser): Fault | null {
  if (!inactiveLoginNames.includes("email")) return null;
  if (email == null) return { code: "request.invalid", message: "inactiveLoginNames: the row has no email" };
  // If two users had one verified address, applications might mistake one for the other.
  return emailVerified ? { code: "request.invalid", message: "inactiveLoginNames: a verified email is a login name" } : null;
}

/** The nil and the max UUID (RFC 9562 §5.9, §5.10) mean nobody: lists begin after the nil UUID, which also stands for an unknown login name. */
const faultOfId = ({ userId = "" }: ImportUser): Fault | null =>
  /^[0-]+$|^[f-]+$/i.test(userId) ? { code: "request.invalid", message: "userId must not be the nil or the max UUID" } : null;

function faultOfPassword({ password, passwordHash }: ImportUser): Fault | null {
  if (passwordHash === undefined) return null;
  if (password !== undefined) return { code: "request.invalid", message: "A row has a password or a passwordHash, not both" };
  if (isKnownHash(storedForm(passwordHash))) return null;
  return {
    code: "import.unknown_hash",
    message: "passwordHash has an unknown form, or needs more work than allowed",
  };
}

function faultOfCredentials({ credentials = [] }: ImportUser): Fault | null {
  const isWhole = ({ type, secret, data = {} }: (typeof credentials)[number]) =>
    type === "passkey"
      ? data.credentialId !== undefined && data.userHandle !== undefined
      : type === "totp" || /^\[("[^"]{1,255}",?)*\]$/.test(secret);
  return credentials.every(isWhole)
    ? null
    : { code: "request.invalid", message: "credentials: a passkey needs credentialId and userHandle, recovery codes a list of hashes" };
}

/** Returns the error of one row as a fault. Throws errors that are not about the row. */
export function faultOfError(error: unknown): Fault {
  if (!(error instanceof AppError) || error.status >= 500) throw error;
  const { code, message, errors = [] } = error;
  return { code, message: errors.length > 1 ? errors.map((field) => field.message).join("; ") : message };
}

/** Returns the fault of a member. Its message begins with the member's name, which in a CSV is that of the column. */
export const faultIn = (member: keyof ImportUser, { code, message }: Fault): Fault => ({ code, message: `${member}: ${message}` });

export const toRowError = ({ row, line }: { row: number; line: number }, { code, message }: Fault): RowError => ({
  row,
  line,
  code,
  message: cut(message, MAX_MESSAGE),
});
