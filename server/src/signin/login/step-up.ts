import { brandName, type Messages, Named } from "../../pages/index.ts";
import type { Ask } from "../flows/index.ts";
import { isRequested, isSetUp, isStepUp, type Run } from "../run/index.ts";
import { accountPath } from "./begin.ts";

/**
 * Says why a user who is signed in, or has proven enough to be, is asked once more. `recent`: the request needs a recent authentication.
 * `level`: the application requests a higher level than was proven. `set-up`: it does, and the user has no factor for it. `again`: the
 * application requests a new sign-in. Null stands for a plain sign-in, or for one that says itself what it is for.
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

/** Names the application that asks, or the realm if there is none. */
export const reasonText = (reason: StepUpReason, { realm, request }: Run, text: Messages) =>
  Named({ template: text[TEXTS[reason]], values: { client: request.application?.name ?? brandName(realm.settings) } });

/** Returns the way back: the application gets `access_denied`; other users go to their account, which needs no further proof. */
export const wayBackOf = ({ interaction, realm }: Run, text: Messages) =>
  isRequested(interaction) ? { label: text.backToApplication } : { label: text.cancel, href: accountPath(realm.realmId) };
