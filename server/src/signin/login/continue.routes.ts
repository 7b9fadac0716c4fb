import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import Type from "typebox";
import { clock } from "../../kernel/clock.ts";
import { AppError } from "../../kernel/errors.ts";
import { field, page, redirect, refuseDirtyText, route } from "../../platform/http/index.ts";
import type { SignInParts } from "../authenticators/index.ts";
import {
  CONTINUE_PATH,
  type Interaction,
  interactionErrors,
  positionOf,
  type Run,
  readState,
  returnToSignIn,
  takeReturn,
} from "../run/index.ts";
import { seeOther } from "./begin.ts";
import { type createReplies, stepPath, type Visit } from "./replies.ts";
import { startingSession } from "./start-session.ts";
import type { Visitors } from "./visitors.ts";

export interface ContinueRouteParts {
  readonly parts: SignInParts;
  readonly visitors: Visitors;
  readonly replies: ReturnType<typeof createReplies>;
  openRun(visit: Visit, interaction?: string | Interaction): Promise<Run>;
}

const ContinueQuery = Type.Object(
  { state: field(128, "The state that was sent to the other site. It works once") },
  { additionalProperties: Type.String({ maxLength: 8192 }) },
);

/** Mounted under /realms/:realm. Other sites send a browser back here, to the sign-in that it left. */
export const continueRoutes: FastifyPluginAsyncTypebox<ContinueRouteParts> = async (app, routeParts) => {
  route(app, "GET", `/${CONTINUE_PATH}`, {
    config: { limit: "signIns" },
    summary: "Continue a sign-in after a visit to another site",
    description:
      "Works only in the browser that was sent to the other site, and once each time. Otherwise it redirects to the current step.",
    querystring: ContinueQuery,
    response: {
      200: page("The page of the same step"),
      303: redirect("Redirects to the next step, or signed in"),
      400: page("The browser has no such sign-in"),
      401: page("The response of the other site was not accepted"),
    },
    handler: (request, reply) =>
      continueAfterReturn(routeParts, { request, reply, visitor: request.visitor }, request.query as Readonly<Record<string, string>>),
  });
};

/** Continues the sign-in after the browser returned with an answer. `state` says to which sign-in the answer belongs. */
export async function continueAfterReturn(
  { parts, visitors, replies, openRun }: ContinueRouteParts,
  visit: Visit,
  query: Readonly<Record<string, string>>,
) {
  const { reply } = visit;
  const { state, ...answer } = query;
  refuseDirtyText(query);
  const left = readState(state ?? "");
  if (!left) throw interactionErrors.gone();
  const { realm, preSessions } = visit.visitor;
  const key = { ...left, alias: query.alias };
  const interaction = await takeReturn({ tx: parts.db, realm: realm.realmId, now: clock.now() }, key, preSessions);
  const run = await openRun(visit, interaction ?? left.interactionId);
  if (!interaction) return answerLate(visit, run, query.alias);
  const position = await positionOf(parts, run);
  const outcome = await returnToSignIn(parts, position, answer, startingSession(parts)).catch((error) => {
    // The answer arrived twice at the same time. The browser gets the current step.
    if (error instanceof AppError && error.code === "interactions.moved_on") return null;
    throw error;
  });
  // The provider's answer was accepted, so its button comes first the next time.
  const counted = outcome?.outcome === "pass" || (outcome?.outcome === "ask" && !outcome.after);
  if (counted && query.alias !== undefined) visitors.rememberProvider(reply, realm.realmId, query.alias);
  return outcome ? replies.answerWith(visit, outcome) : seeOther(reply, stepPath(run));
}

/** Sends the browser on if its answer was used before, or if the sign-in has continued without it. */
function answerLate({ reply }: Visit, run: Run, alias: string | undefined) {
  if (run.interaction!.result) return seeOther(reply, run.interaction!.returnTo);
  // The answer came to the endpoint of another provider. It is refused, and the right one can still be used.
  const { left, data } = run.progress;
  if (alias !== undefined && left?.hash !== undefined && data[left.path]?.alias !== alias) throw interactionErrors.gone();
  return seeOther(reply, stepPath(run));
}
