import { brandName, type Messages, Named } from "../../pages/index.ts";
import type { Ask } from "../flows/index.ts";
import { isRequested, isSetUp, isStepUp, type Run } from "../run/index.ts";
import { accountPath } from "./begin.ts";

/**
 * Why somebody who is signed in, or has proven enough to be, is asked once more. `recent`: what they want needs a fresh proof. `level`: the application
 * asks for more than was proven. `set-up`: it does, and they have nothing to prove it by. `again`: it wants a new sign-in. Null: a plain sign-in,
 * or one that says by itself what it is for.
 */
type StepUpReason = "recent" | "level" | "set-up" | "again";

export function stepUpReason({ visitor, request, progress }: Run, ask: Ask): StepUpReason | null {
  const { session } = visitor;
  const isSignedIn = session !== null && session.impersonator === null;
  if (progress.link !== undefined || ask.path.startsWith("action:")) return null;
  if (!isStepUp(ask) && progress.sessionId === undefined) return isSignedIn && request.reauthenticate === true ? "again" : null;
  if (isSetUp(ask)) return "set-up";
  return request.recent === true ? "recent" : "level";
}

const TEXTS = { recent: "stepUpRecent", level: "stepUpLevel", "set-up": "stepUpSetUp", again: "stepUpAgain" } as const;

/** The realm asks where no application does. */
export const reasonText = (reason: StepUpReason, { realm, request }: Run, text: Messages) =>
  Named({ template: text[TEXTS[reason]], values: { client: request.application?.name ?? brandName(realm.settings) } });

/** The application gets `access_denied`; others go to their account, where nothing asks for more. */
export const wayBackOf = ({ interaction, realm }: Run, text: Messages) =>
  isRequested(interaction) ? { label: text.backToApplication } : { label: text.cancel, href: accountPath(realm.realmId) };
