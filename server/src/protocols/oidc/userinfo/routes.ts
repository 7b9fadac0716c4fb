import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { FastifyReply, FastifyRequest } from "fastify";
import Type from "typebox";
import { OAuthError, oauthErrors } from "../../../kernel/oauth-error.ts";
import { refuseBy } from "../../../platform/http/index.ts";
import { allowOrigin, issuerFor, preflight, sendOAuthError, single } from "../../gate/index.ts";
import { checkPossession, type PresentedToken } from "../../proof/index.ts";
import type { Issuers } from "../issuer.ts";
import { tokenForUserinfo, userinfo } from "./service.ts";

const tags = ["Protocol"];
const params = Type.Object({ realm: Type.String() });
const Claims = Type.Object({ sub: Type.String() }, { $id: "Userinfo", additionalProperties: true });

class NoToken extends OAuthError {}

/** RFC 6750 §2: in the header or in the form, never in the address, and not in both. */
function presentedToken(request: FastifyRequest, form: Record<string, string | string[]>): PresentedToken {
  const header = request.headers.authorization;
  const inForm = single(form, "access_token");
  if (header !== undefined && inForm !== undefined)
    throw oauthErrors.invalidRequest("access token must only be provided using one mechanism");
  if (inForm !== undefined) return { scheme: "bearer", token: inForm };
  if (header === undefined) throw new NoToken("invalid_token", "no access token provided");
  const [, scheme, token] = /^(Bearer|DPoP) +([A-Za-z0-9._~+/-]+=*)$/i.exec(header) ?? [];
  if (!scheme || !token) throw oauthErrors.invalidRequest("invalid authorization header value format");
  return { scheme: scheme.toLowerCase() as PresentedToken["scheme"], token };
}

/** RFC 6750 §3: without a token, the scheme; with one that is refused, why. */
function challenge(cause: unknown, issuer: string, scheme: string): string | null {
  const quoted = (value: string) => value.replace(/["\\]/g, "");
  if (cause instanceof NoToken) return `Bearer realm="${quoted(issuer)}"`;
  if (!(cause instanceof OAuthError)) return null;
  return `${scheme} realm="${quoted(issuer)}", error="${cause.error}", error_description="${quoted(cause.message)}"`;
}

/** Mounted under /realms/:realm. */
export const userinfoRoutes: FastifyPluginAsyncTypebox<{ issuers: Issuers }> = async (app, { issuers }) => {
  refuseBy(app, "oauth", sendOAuthError);
  app.removeContentTypeParser(["application/json", "text/plain"]);

  const answer = async (request: FastifyRequest, reply: FastifyReply) => {
    const { parts } = await issuerFor(issuers, request);
    const form = (request.body ?? {}) as Record<string, string | string[]>;
    const scheme = /^dpop /i.test(request.headers.authorization ?? "") ? "DPoP" : "Bearer";
    reply.header("cache-control", "no-store");
    try {
      const presented = presentedToken(request, form);
      const live = await tokenForUserinfo(parts, presented.token);
      const client = await parts.clients.get(live.realm, live.clientId);
      if (!client) throw oauthErrors.invalidToken();
      allowOrigin(request, reply, client);
      if (live.confirmation !== null || presented.scheme === "dpop") {
        const { headers, method } = request;
        await checkPossession(parts, { headers, method, url: `${parts.issuer}/userinfo` }, live, presented);
      }
      const { type, body } = await userinfo(parts, live, client);
      return reply.type(type).serializer(String).send(body);
    } catch (cause) {
      const told = challenge(cause, parts.issuer, scheme);
      if (told) reply.header("www-authenticate", told);
      return sendOAuthError(cause, request, reply);
    }
  };

  const response = { 200: Claims };
  const description = "With an access token of the realm that has the scope `openid`. Signed (JWT) for clients that ask for it.";
  app.get(
    "/userinfo",
    { schema: { summary: "Claims about the user (OpenID Connect Core §5.3)", description, tags, params, response } },
    answer as never,
  );
  app.post(
    "/userinfo",
    {
      schema: { summary: "The same by POST", description, consumes: ["application/x-www-form-urlencoded"], tags, params, response },
    },
    answer as never,
  );
  app.options("/userinfo", { schema: { hide: true } }, preflight("GET,POST"));
};
