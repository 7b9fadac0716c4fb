import Type from "typebox";
import { isRecentlyAuthenticated } from "../sessions/index.ts";
import type { Silent } from "./authenticator.ts";
import { isNew } from "./progress.ts";

/** Passes for a user who is signed in already. The proofs of the session count on their own, so this step adds none. */
export const cookie: Silent = {
  kind: "silent",
  displayName: "Session",
  description: "Passes when this browser is signed in already and nothing asks for more",
  config: Type.Object({}, { additionalProperties: false }),
  passes: async ({ visitor: { session }, request, progress, needsSecondFactor, now }) => {
    if (!session || progress.sessionId !== session.sessionId || progress.passed.some(isNew)) return null;
    if (request.recent && !isRecentlyAuthenticated(progress.passed, needsSecondFactor, now)) return null;
    return { userId: session.userId, login: session.username, factor: null, amr: [] };
  },
};
