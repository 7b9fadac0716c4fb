import { OutboundError } from "../outbound/index.ts";

/**
 * The kind of fault: `reach` and `tls` before the first message, `timeout`, `closed`, `protocol` and `too_large` in the conversation, `result` if the directory
 * answered with an error of its own.
 */
export type LdapFault = "reach" | "tls" | "timeout" | "closed" | "protocol" | "too_large" | "result";

/** An error of a directory. `message` may be shown to an administrator. `diagnostic` is the directory's own text, for the log. */
export class LdapError extends Error {
  readonly fault: LdapFault;
  readonly resultCode: number | null;
  readonly diagnostic: string;

  constructor(fault: LdapFault, message: string, more: { resultCode?: number; diagnostic?: string; cause?: unknown } = {}) {
    super(message, { cause: more.cause });
    this.name = "LdapError";
    this.fault = fault;
    this.resultCode = more.resultCode ?? null;
    this.diagnostic = more.diagnostic ?? "";
  }
}

export const RESULT = {
  success: 0,
  protocolError: 2,
  timeLimitExceeded: 3,
  sizeLimitExceeded: 4,
  strongerAuthRequired: 8,
  referral: 10,
  adminLimitExceeded: 11,
  unavailableCriticalExtension: 12,
  confidentialityRequired: 13,
  constraintViolation: 19,
  noSuchObject: 32,
  invalidDnSyntax: 34,
  inappropriateAuthentication: 48,
  invalidCredentials: 49,
  insufficientAccessRights: 50,
  busy: 51,
  unavailable: 52,
  unwillingToPerform: 53,
} as const;

const EXPLAINED: Record<number, string> = {
  2: "it did not understand the request (protocolError)",
  3: "the search took longer than it allows (timeLimitExceeded)",
  4: "it returns fewer entries than there are (sizeLimitExceeded): raise its size limit for the bind DN",
  7: "it does not offer simple binds (authMethodNotSupported)",
  8: "it requires TLS: use ldaps:// or StartTLS (strongerAuthRequired)",
  10: "it refers to another directory (referral), which is not followed",
  11: "the search exceeds its limits (adminLimitExceeded)",
  12: "it does not support an extension that is needed (unavailableCriticalExtension)",
  13: "it requires TLS: use ldaps:// or StartTLS (confidentialityRequired)",
  16: "the attribute does not exist (noSuchAttribute)",
  17: "it does not know an attribute (undefinedAttributeType)",
  19: "the value breaks a rule of the directory (constraintViolation)",
  32: "there is no such entry (noSuchObject): check the search base",
  34: "that is not a distinguished name (invalidDNSyntax)",
  48: "the entry cannot sign in with a password (inappropriateAuthentication)",
  49: "it refused the name or the password (invalidCredentials)",
  50: "the bind DN may not do this (insufficientAccessRights)",
  51: "it is too busy (busy)",
  52: "it is shutting down or not ready (unavailable)",
  53: "it refuses this operation (unwillingToPerform)",
};

export const refusedBy = (resultCode: number, diagnostic: string): LdapError =>
  new LdapError("result", `The directory answered: ${EXPLAINED[resultCode] ?? `error ${resultCode}`}.`, {
    resultCode,
    diagnostic: diagnostic.slice(0, 1_000),
  });

/** Says in our words why no connection could be opened. */
export function notReached(error: unknown): LdapError {
  if (error instanceof LdapError) return error;
  if (!(error instanceof OutboundError)) return new LdapError("reach", "The directory could not be reached.", { cause: error });
  const fault = error.reason === "tls" ? "tls" : error.reason === "timeout" ? "timeout" : "reach";
  return new LdapError(fault, error.message, { cause: error });
}

/** The account's state that AD reports together with invalidCredentials: `…, data 773, v1db1`. */
type AdState =
  | "wrong" // 52e, also sent for the wrong password of a disabled, expired or must-change account
  | "unknown" // 525
  | "hours" // 530: not at this hour
  | "workstation" // 531: not from this machine
  | "password-expired" // 532: the password is right
  | "disabled" // 533: the password is right
  | "account-expired" // 701: the password is right
  | "must-change" // 773: the password is right
  | "locked"; // 775: the password may be wrong

const AD_STATES: Record<string, AdState> = {
  "52e": "wrong",
  "525": "unknown",
  "530": "hours",
  "531": "workstation",
  "532": "password-expired",
  "533": "disabled",
  "701": "account-expired",
  "773": "must-change",
  "775": "locked",
};

/** Returns the account's state that Active Directory names when it refuses a bind. */
export function adState(error: LdapError): AdState | null {
  if (error.resultCode !== RESULT.invalidCredentials) return null;
  const [, code] = /\bdata ([0-9a-f]+)\b/i.exec(error.diagnostic) ?? [];
  return code === undefined ? null : (AD_STATES[code.toLowerCase()] ?? "wrong");
}
