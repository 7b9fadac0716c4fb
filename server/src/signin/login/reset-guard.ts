import { permissionsOfUser } from "../../directory/roles/index.ts";
import type { SignInParts } from "../authenticators/index.ts";
import type { SignIn } from "./sign-in.ts";

/** Credentials by which users prove more than a password or a mailbox does. */
const factorTypes = ["passkey", "totp", "push"];
/** The steps that ask for one. A mailed code is none of them: it shows the same mailbox again. */
const ownFactors = new Set([...factorTypes, "recovery-code"]);

/**
 * Whether a password reset still lacks a second factor that the realm's flow cannot waive: a holder of admin permissions who has one
 * must show it, so that reading their mail is not enough to become them. Without a second factor the mail alone resets the password.
 */
export async function lacksOwnFactor(parts: SignInParts, { realm, progress, user }: SignIn): Promise<boolean> {
  if (progress.flow !== "reset-credentials" || !user) return false;
  if (!factorTypes.some((type) => user.credentials.has(type))) return false;
  if (progress.passed.some(({ authenticator }) => ownFactors.has(authenticator))) return false;
  return (await permissionsOfUser(parts.db, realm.realmId, user.userId)).length > 0;
}
