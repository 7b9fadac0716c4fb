import type { Actor } from "../../platform/context.ts";
import { assertHolds } from "../permissions/index.ts";

/**
 * The escalation rule for messages: a caller that decides by which server mails and text messages leave, or what surrounds their
 * links and codes, can read or redirect the password reset of every user, and so controls them all.
 * See docs/decisions/0011-mail-is-control.md.
 */
export const assertMayDirectMessages = (actor: Actor): void => assertHolds(actor, ["realm-admin"]);
