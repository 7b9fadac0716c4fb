import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import Type from "typebox";
import { findUpstreamLogout, readUpstreamLogout, sessionsToEnd, takeUpstreamLogout } from "../../federation/index.ts";
import { clock } from "../../kernel/clock.ts";
import { systemActor } from "../../platform/context.ts";
import { anonymous, route } from "../../platform/http/index.ts";
import { requestSource } from "../../platform/unit-of-work.ts";
import { endSession } from "../sessions/index.ts";
import { seeOther } from "./begin.ts";
import type { LogoutParts } from "./logout.routes.ts";
import { showSigningOut, signedOutPath } from "./sign-out.ts";

const params = Type.Object({ realm: Type.String(), alias: Type.String({ maxLength: 63 }) });
const StateQuery = Type.Object({ state: Type.Optional(Type.String({ maxLength: 128 })) });
const Refusal = Type.Object({ error: Type.String(), error_description: Type.String() });

/** Mounted under /realms/:realm. Continues logouts at an identity provider, and receives logouts that a provider requests. */
export const brokerLogoutRoutes: FastifyPluginAsyncTypebox<LogoutParts> = async (app, parts) => {
  const { db, vault, visitors, work, brokers } = parts;

  route(app, "GET", "/broker/:alias/logout", {
    summary: "Continue a logout at the identity provider",
    description: "The local session has ended. The page redirects to the provider, or continues without it if it does not respond.",
    params,
    querystring: StateQuery,
    response: {
      200: Type.String({ description: "The page that redirects to the provider" }),
      303: Type.Null({ description: "Nothing is left to do" }),
    },
    handler: async (request, reply) => {
      const { visitor } = request;
      const { realmId: realm } = visitor.realm;
      const key = { realm, state: request.query.state ?? "", browsers: visitor.preSessions, now: clock.now() };
      const logout = await findUpstreamLogout(db, vault, key);
      if (!logout) return seeOther(reply, signedOutPath(realm));
      const { hop, next } = logout;
      const name = (await brokers.providers.get(realm))?.byAlias.get(request.params.alias)?.displayName ?? request.params.alias;
      const shown = { name, location: hop.location, ...(hop.form && { form: hop.form }) };
      return showSigningOut(visitors, { request, reply }, visitor, { frames: [], hop: shown, next });
    },
  });

  route(app, "GET", "/broker/:alias/endpoint/logout_response", {
    summary: "Return from a logout at the identity provider",
    description:
      "Register this address at the provider as `post_logout_redirect_uri`. Without a logout of this browser it redirects to the sign-in page.",
    params,
    querystring: StateQuery,
    response: { 303: Type.Null({ description: "Redirects to the next page" }) },
    handler: async (request, reply) => {
      const { preSessions: browsers, realm } = request.visitor;
      const key = { realm: realm.realmId, state: request.query.state ?? "", browsers, now: clock.now() };
      return seeOther(reply, (await takeUpstreamLogout(db, vault, key))?.next ?? signedOutPath(realm.realmId));
    },
  });

  route(app, "POST", "/broker/:alias/backchannel-logout", {
    config: { caller: anonymous(), csrf: "none", limit: "samlMessages", errors: "oauth" },
    summary: "Back-channel logout by an identity provider",
    description:
      "OpenID Connect Back-Channel Logout 1.0. Register this address at the provider as `backchannel_logout_uri`. Ends the sessions that began with the session (`sid`) or the subject (`sub`) that the logout token names.",
    params,
    consumes: ["application/x-www-form-urlencoded"],
    body: Type.Object(
      { logout_token: Type.String({ maxLength: 16_384 }) },
      { examples: [{ logout_token: "eyJhbGciOiJSUzI1NiIsInR5cCI6ImxvZ291dCtqd3QifQ.e30.c2ln" }] },
    ),
    response: { 200: Type.Null({ description: "The sessions were ended" }), 400: Refusal },
    handler: async (request, reply) => {
      const { realm, params: sent, body } = request;
      const { realmId } = realm;
      const refused = (description: string) =>
        reply.code(400).header("cache-control", "no-store").send({ error: "invalid_request", error_description: description });
      const provider = (await brokers.providers.get(realmId))?.byAlias.get(sent.alias);
      if (!provider?.enabled) return refused("There is no such identity provider in this realm");
      const notice = await readUpstreamLogout(provider, body.logout_token, brokers.tools);
      if (!notice) return refused("The logout token is not valid for this realm");
      const actor = systemActor(realmId, `identity provider ${provider.alias}`);
      const isNew = await work.transact({ realm: realmId, actor, ...requestSource(request) }, async (ctx) => {
        const sessions = await sessionsToEnd(ctx, provider, notice);
        for (const sessionId of sessions ?? []) await endSession(ctx, sessionId, { askedBy: provider.alias });
        return sessions !== null;
      });
      return isNew ? reply.code(200).header("cache-control", "no-store").send(null) : refused("The logout token was used before");
    },
  });
};
