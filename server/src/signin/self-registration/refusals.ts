import { isMailShaped, refusalOfUsername } from "../../directory/users/index.ts";
import { AppError } from "../../kernel/errors.ts";
import { asciiDomain, isMailAddress, loginKey } from "../../kernel/text.ts";
import type { Messages, RegistrationForm } from "../../pages/index.ts";
import { isOverloaded } from "../../platform/passwords/index.ts";
import { confirmsFirst } from "../../tenancy/settings/index.ts";
import type { ProfileFault } from "../own-profile/index.ts";
import { isUsername } from "../required-actions/index.ts";

/** The reason why a form was refused, in the words of the page. */
export interface Refusal {
  readonly status: number;
  readonly blamed: "username" | "email" | "password" | "attributes" | null;
  /** The attribute that was left empty, or does not fit. */
  readonly fault?: ProfileFault;
  readonly title: keyof Messages;
  readonly text: keyof Messages;
  readonly retryAfterSeconds?: number;
}

const refusal = (status: number, blamed: Refusal["blamed"], title: Refusal["title"], words: Refusal["text"]): Refusal => ({
  ...{ status, blamed, title, text: words },
});
export const stale = refusal(403, null, "csrfTitle", "invitationCsrfText");
export const mismatch = refusal(400, "password", "passwordMismatchTitle", "passwordMismatchText");

type Policy = Parameters<typeof confirmsFirst>[0];

export function faultOf({ username, email }: RegistrationForm, policy: Policy, fault: ProfileFault | null): Refusal | null {
  if (!isUsername(username) && username !== email) return refusal(400, "username", "usernameInvalidTitle", "usernameInvalidText");
  if (refusalOfUsername(username)) return refusal(409, "username", "registerTakenTitle", "registerTakenText");
  if (!isMailAddress(email) || !isUsername(email)) return refusal(400, "email", "profileInvalidTitle", "profileInvalidText");
  // The name is refused before it is looked up.
  const isOwn = loginKey(username) === loginKey(email) && confirmsFirst(policy);
  if (isMailShaped(username) && !isOwn) return refusal(400, "username", "usernameInvalidTitle", "usernameMailText");
  if (fault) return { ...refusal(400, "attributes", fault.isMissing ? "missingTitle" : "profileInvalidTitle", "profileText"), fault };
  const domain = asciiDomain(email.slice(email.lastIndexOf("@") + 1));
  const domains = policy.allowedEmailDomains;
  const isAllowed = domains.length === 0 || domains.some((allowed) => asciiDomain(allowed) === domain);
  return isAllowed ? null : refusal(400, "email", "registerDomainTitle", "registerDomainText");
}

/** Returns the page's message for a refusal. Other errors are rethrown. */
export function problemOf(error: unknown): Refusal {
  if (isOverloaded(error)) return { ...refusal(503, null, "overloadedTitle", "unavailableTextTimed"), retryAfterSeconds: 2 };
  const code = error instanceof AppError ? error.code : "";
  if (code === "users.login_name_taken") return refusal(409, "username", "registerTakenTitle", "registerTakenText");
  if (code === "password.breached") return refusal(400, "password", "passwordRefusedTitle", "passwordBreachedText");
  if (code === "password.policy") return refusal(400, "password", "passwordRefusedTitle", "passwordRefusedText");
  throw error;
}
