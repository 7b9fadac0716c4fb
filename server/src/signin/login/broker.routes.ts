import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import Type from "typebox";
import { providerMetadataRoutes } from "../../federation/index.ts";
import { clock } from "../../kernel/clock.ts";
import { route } from "../../platform/http/index.ts";
import { IDENTITY_PROVIDER } from "../authenticators/index.ts";
import { claimInteraction, continueSignIn, interactionErrors, positionToAnswer, readState } from "../run/index.ts";
import { seeOther } from "./begin.ts";
import { type ContinueRouteParts, continueAfterReturn } from "./continue.routes.ts";
import { postedAnswerRoutes } from "./posted-answers.routes.ts";
import { stepPath } from "./replies.ts";
import { startingSession } from "./start-session.ts";

const params = Type.Object({ realm: Type.String(), alias: Type.String({ maxLength: 63 }) });
const LINK_ACCOUNT = "LINK_ACCOUNT";

const AnswerQuery = Type.Object(
  { state: Type.Optional(Type.String({ maxLength: 128, description: "The state that was sent to the provider. It works once" })) },
  { additionalProperties: Type.String({ maxLength: 8192 }) },
);

/** Mounted under /realms/:realm. Sends browsers to an identity provider, and receives them from it. */
export const brokerRoutes: FastifyPluginAsyncTypebox<ContinueRouteParts> = async (app, routeParts) => {
  const { parts, replies, openRun } = routeParts;

  route(app, "GET", "/broker/:alias/login", {
    config: { limit: "signIns" },
    summary: "Sign in at an identity provider",
    description:
      "The address of a link on the sign-in page. It is refused if the browser has no sign-in to which the provider's response could be matched.",
    params,
    querystring: Type.Object({
      interaction: Type.Optional(Type.String({ maxLength: 64 })),
      return_to: Type.Optional(Type.String({ maxLength: 2048, description: "The path on this server to continue at" })),
    }),
    response: {
      303: Type.Null({ description: "Redirects to the identity provider" }),
      400: Type.String({ description: "The page with an error" }),
    },
    handler: async (request, reply) => {
      const visit = { request, reply, visitor: request.visitor };
      const opened = await openRun(visit);
      if (opened.interaction?.result) return seeOther(reply, opened.interaction.returnTo);
      const position = await positionToAnswer(parts, opened, undefined);
      // The account that is to be linked is no way to sign in yet: the user authenticates with factors of their own first.
      const wanted = position.run.request.link?.alias === request.params.alias ? LINK_ACCOUNT : IDENTITY_PROVIDER;
      const step = position.outcome === "ask" ? position.steps.find(({ name }) => name === wanted) : undefined;
      // The flow does not offer the provider at this step.
      if (!step) return seeOther(reply, stepPath(position.run));
      const form = { provider: request.params.alias };
      return replies.answerWith(visit, await continueSignIn(parts, position, { step, form }, startingSession(parts)));
    },
  });

  route(app, "GET", "/broker/:alias/link", {
    config: { limit: "signIns" },
    summary: "Link an account at an identity provider",
    description:
      "The address that `POST …/account/linked-accounts/{alias}` returns. It works once, in a browser in which the same user is signed in.",
    params,
    querystring: Type.Object({ ticket: Type.String({ maxLength: 128 }) }),
    response: {
      303: Type.Null({ description: "Redirects to the identity provider, or to the sign-in page" }),
      400: Type.String({ description: "The link no longer works" }),
    },
    handler: async (request, reply) => {
      const { visitor } = request;
      const { session, preSession: browser, realm } = visitor;
      const { alias } = request.params;
      const path = `/realms/${realm.realmId}/broker/${encodeURIComponent(alias)}`;
      if (!session) return seeOther(reply, `/realms/${realm.realmId}/login?${new URLSearchParams({ return_to: request.url })}`);
      const asked = readState(request.query.ticket);
      const place = { tx: parts.db, realm: realm.realmId, now: clock.now() };
      const claim = asked && { interactionId: asked.interactionId, ticket: asked.token, userId: session.userId, browser };
      if (!claim || session.impersonator !== null || !(await claimInteraction(place, claim))) throw interactionErrors.gone();
      return seeOther(reply, `${path}/login?interaction=${claim.interactionId}`);
    },
  });

  route(app, "GET", "/broker/:alias/endpoint", {
    config: { limit: "signIns" },
    summary: "Redirect URI of an identity provider",
    description: "Works only in the browser that was sent to the provider, and once each time.",
    params,
    querystring: AnswerQuery,
    response: {
      200: Type.String({ description: "The page of the same step" }),
      303: Type.Null({ description: "Redirects to the next step, or signed in" }),
      400: Type.String({ description: "The browser has no such sign-in, or the provider's response was not accepted" }),
      401: Type.String({ description: "The user may not sign in" }),
    },
    handler: (request, reply) => {
      const { alias: _, RelayState, ...query } = request.query as Readonly<Record<string, string>>;
      // SAML calls `state` RelayState.
      const state = query.state ?? RelayState;
      const answer = { ...query, ...(state !== undefined && { state }), alias: request.params.alias };
      return continueAfterReturn(routeParts, { request, reply, visitor: request.visitor }, answer);
    },
  });

  await app.register(postedAnswerRoutes, routeParts);
  await app.register(providerMetadataRoutes, parts.brokers);
};
