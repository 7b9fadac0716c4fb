import type { Actor } from "../../platform/context.ts";
import { assertHolds } from "../permissions/index.ts";

/**
 * The escalation rule for messages. A caller that decides which server mails and text messages leave by, or which text surrounds their links and codes, can
 * read or redirect the password reset of every user, and so controls all users. See docs/decisions/0011-mail-is-control.md.
 */
export const assertMayDirectMessages = (actor: Actor): void => assertHolds(actor, ["realm-admin"]);
