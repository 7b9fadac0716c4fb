import type { IncomingMessage } from "node:http";
import type { Interaction } from "oidc-provider";
import type { LiveSession } from "../../../../signin/sessions/index.ts";

interface Resumed {
  /** With its answer. */
  readonly interaction: Interaction;
  readonly session: LiveSession | null;
}

const resumed = new WeakMap<IncomingMessage, Resumed>();

/** Passes the interaction and the session to the engine in memory, so that it does not read them again. */
export const setResumed = (request: IncomingMessage, interaction: Interaction, session: LiveSession | null): void =>
  void resumed.set(request, { interaction, session });

export const resumedBy = (request: IncomingMessage | undefined): Resumed | undefined => request && resumed.get(request);
