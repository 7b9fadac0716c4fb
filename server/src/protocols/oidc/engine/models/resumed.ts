import type { IncomingMessage } from "node:http";
import type { Interaction } from "oidc-provider";
import type { LiveSession } from "../../../../signin/sessions/index.ts";

interface Resumed {
  /** With its answer. */
  readonly interaction: Interaction;
  readonly session: LiveSession | null;
}

const resumed = new WeakMap<IncomingMessage, Resumed>();

/** What was found out before the engine goes on with a request, which need not be stored for it to be read again. */
export const rememberResumed = (request: IncomingMessage, known: Resumed): void => void resumed.set(request, known);

export const resumedBy = (request: IncomingMessage | undefined): Resumed | undefined => request && resumed.get(request);
