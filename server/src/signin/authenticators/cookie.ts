import Type from "typebox";
import type { Silent } from "./authenticator.ts";
import { sessionFactor } from "./progress.ts";

/** Whoever is signed in already need not do it again. */
export const cookie: Silent = {
  kind: "silent",
  displayName: "Session",
  description: "Passes when this browser is signed in already and nothing asks for more",
  config: Type.Object({}, { additionalProperties: false }),
  passes: async ({ visitor: { session }, request, progress }) => {
    if (!session || session.impersonator !== null || request.reauthenticate || progress.passed.length > 0) return null;
    return { userId: session.userId, login: session.username, factor: sessionFactor(session), amr: session.amr };
  },
};
