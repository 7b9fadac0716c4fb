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
  { state: Type.Optional(Type.String({ maxLength: 128, description: "As the provider was given it; it works once" })) },
  { additionalProperties: Type.String({ maxLength: 8192 }) },
);

/** Mounted under /realms/:realm. Sends browsers to an identity provider, and receives them from it. */
export const brokerRoutes: FastifyPluginAsyncTypebox<ContinueRouteParts> = async (app, routeParts) => {
  const { parts, replies, openRun } = routeParts;

  route(app, "GET", "/broker/:alias/login", {
    config: { limit: "signIns" },
    summary: "Sign in at an identity provider",
    description: "A link of the sign-in page: it begins nothing that the provider's answer could not be matched to in this browser.",
    params,
    querystring: Type.Object({
      interaction: Type.Optional(Type.String({ maxLength: 64 })),
      return_to: Type.Optional(Type.String({ maxLength: 2048, description: "A path of this server to go on to" })),
    }),
    response: { 303: Type.Null({ description: "To the provider" }), 400: Type.String({ description: "The page, with what is wrong" }) },
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
      "The address that `POST …/account/linked-accounts/{alias}` answers with. It works once, in a browser in which the same user is signed in.",
    params,
    querystring: Type.Object({ ticket: Type.String({ maxLength: 128 }) }),
    response: {
      303: Type.Null({ description: "To the provider, or to sign in first" }),
      400: Type.String({ description: "It works no more" }),
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
    description: "The provider's redirect URI. Only in the browser that left, and once for each time that it did.",
    params,
    querystring: AnswerQuery,
    response: {
      200: Type.String({ description: "The step again" }),
      303: Type.Null({ description: "Signed in, or on to the next step" }),
      400: Type.String({ description: "No sign-in of this browser, or the provider's answer was not accepted" }),
      401: Type.String({ description: "Not one who may sign in" }),
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
