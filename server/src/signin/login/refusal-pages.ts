import type { AppError } from "../../kernel/errors.ts";
import type { MessageKind, MessageView } from "../../pages/index.ts";
import { homePath, loginPath } from "./begin.ts";

/** The refusals that have a page of their own. */
export const KINDS: Readonly<Record<string, MessageKind>> = {
  "interactions.gone": "expired",
  "identity_providers.changed": "expired",
  "identity_providers.subject_linked": "link-taken",
  "identity_providers.already_linked": "link-one-each",
  "broker_logout.refused": "broker-logout-refused",
  "devices.same_browser": "same-browser",
  "devices.weak_session": "weak-session",
  "devices.impersonated": "not-you",
  "saml.denied": "saml-denied",
  "saml.refused": "saml-refused",
};

/**
 * Returns the link of a refusal: back to the application that asked; or to sign in again; or to sign out here after the refused logout of
 * an identity provider.
 */
export const onwards = ({ code, home }: Pick<AppError, "code" | "home">, realm: string): Pick<MessageView, "back"> => {
  if (home !== undefined) return { back: { href: home, label: "backToApplication" } };
  if (code === "interactions.gone" || code.startsWith("identity_providers."))
    return { back: { href: loginPath(realm), label: "signInAgain" } };
  if (code === "broker_logout.refused") return { back: { href: `/realms/${realm}/logout`, label: "signOut" } };
  return ONWARDS.has(code) ? { back: { href: homePath(realm), label: "continue" } } : {};
};

/** The refusals of account pages, and of addresses without a page: people go on to their account. */
const ONWARDS = new Set([
  ...["request.not_found", "account.impersonated", "account.erase_off", "account.application_not_found", "credentials.not_found"],
  ...[
    "sessions.not_found",
    "browsers.not_found",
    "identity_providers.not_found",
    "organizations.invitation_not_found",
    "agents.not_found",
    "agents.state",
  ],
]);
