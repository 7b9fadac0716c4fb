import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import Type, { type Static } from "typebox";
import { type ClientSnapshot, readClient } from "../../../applications/clients/index.ts";
import { readUser } from "../../../directory/users/index.ts";
import { SECOND } from "../../../kernel/clock.ts";
import { defineErrors, invalidFields } from "../../../kernel/errors.ts";
import { newId } from "../../../kernel/ids.ts";
import { OAuthError } from "../../../kernel/oauth-error.ts";
import type { ReadCtx } from "../../../platform/context.ts";
import { nullable, pathParams, route } from "../../../platform/http/index.ts";
import { allows } from "../../../tenancy/permissions/index.ts";
import { accessRefusal, allowedScopes, audienceOf, defaultScopesFor, previewTokens, resourceOf, scopesAt } from "../../tokens/index.ts";
import type { Issuers } from "../issuer.ts";
import type { RealmParts } from "../parts.ts";

const PreviewRequest = Type.Object(
  {
    userId: Type.String({ format: "uuid", description: "The user that the tokens would be about" }),
    scope: Type.Optional(
      Type.String({
        maxLength: 2048,
        description: "The `scope` parameter of the application. Default: the client's default scopes with `openid`",
      }),
    ),
    resource: Type.Optional(
      Type.String({ maxLength: 2048, description: "The API that the access token would be for (RFC 8707). Default: the realm itself" }),
    ),
  },
  { $id: "TokenPreviewRequest", additionalProperties: false },
);
type PreviewRequest = Static<typeof PreviewRequest>;

const claims = (description: string) => Type.Record(Type.String(), Type.Unknown(), { description });

export const TokenPreview = Type.Object(
  {
    scopes: Type.Array(Type.String(), { description: "The scopes that the access token would have" }),
    allowed: Type.Boolean({ description: "True if the user may use the client at all (`allowedRoles`, `allowedGroups`)" }),
    accessToken: claims("The payload of the access token"),
    idToken: nullable(claims("The payload of the ID token"), "Null if the scope `openid` is not requested"),
    userinfo: nullable(claims("The userinfo response"), "Null if the scope `openid` is not requested"),
  },
  { $id: "TokenPreview", description: "The claims only. Nothing is signed or stored, and the response contains no token" },
);
export type TokenPreview = Static<typeof TokenPreview>;

/** Mounted under /admin/realms/:realm/clients/:clientId/preview. */
export const previewRoutes: FastifyPluginAsyncTypebox<{ issuers: Issuers }> = async (app, { issuers }) => {
  route(app, "POST", "/", {
    config: { permission: "view-clients", versioned: false },
    summary: "Preview the claims of a client's tokens for a user",
    description:
      "Returns the claims of the ID token, the access token and userinfo. Needs `view-users`, too. Issues no token and records no audit event.",
    operationId: "previewTokens",
    tags: ["Clients"],
    params: pathParams("clientId"),
    body: PreviewRequest,
    response: { 200: TokenPreview },
    handler: async (req) => {
      const { parts } = (await issuers.get(req.realmId))!;
      return req.read((ctx) => previewFor(ctx, parts, req.params.clientId, req.body));
    },
  });
};

const errors = defineErrors("preview", { view_users_needed: [403, "This also needs the permission view-users"] });

/** Returns the payloads of a client's tokens for a user who has just signed in with a password. */
async function previewFor(ctx: ReadCtx, parts: RealmParts, id: string, request: PreviewRequest): Promise<TokenPreview> {
  if (!allows(ctx.actor.permissions, "view-users")) throw errors.view_users_needed();
  const { clientId } = await readClient(ctx, id);
  const { userId } = await readUser(ctx, request.userId);
  const client = (await parts.clients.get(ctx.realm, clientId))!;
  const scopes = scopesIn(parts, client, request.scope);
  const authentication = { authTime: Math.floor(ctx.now / SECOND), acr: "1", amr: ["pwd"] };
  const issue = {
    ...{ grantId: newId(), userId, user: undefined, impersonator: null, scopes, authentication },
    idToken: scopes.includes("openid") ? { scopes, nonce: undefined, requested: [] } : null,
    ...{ claims: undefined, authorizationDetails: undefined },
  };
  const target = await explained("resource", () => resourceOf(parts, client, [], request.resource === undefined ? [] : [request.resource]));
  const scopesThere = scopesAt(target, scopes);
  const audience = audienceOf(client, target.resource);
  const [refusal, preview] = await Promise.all([
    accessRefusal({ db: ctx.tx, realm: parts.realm }, client, { userId }),
    explained("userId", () => previewTokens(parts, client, { ...issue, scopes: scopesThere, audience })),
  ]);
  return { scopes: [...scopesThere], allowed: refusal === null, ...preview };
}

function scopesIn({ scopesOfRealm }: RealmParts, client: ClientSnapshot, scope: string | undefined): readonly string[] {
  const allowed = allowedScopes(scopesOfRealm, client);
  if (scope === undefined) return [...new Set([...(allowed.has("openid") ? ["openid"] : []), ...defaultScopesFor(scopesOfRealm, client)])];
  const requested = [...new Set(scope.split(/\s+/).filter(Boolean))];
  const refused = requested.filter((name) => !allowed.has(name));
  const message = (name: string) => `This client may not request the scope “${name}”`;
  if (refused.length > 0) throw invalidFields(refused.map((name) => ({ field: "scope", code: "not_allowed", message: message(name) })));
  return requested;
}

/** Converts a refusal of the token endpoint to an error of the field that it is about. */
async function explained<T>(field: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error;
    throw invalidFields([{ field, code: error.error, message: error.message }]);
  }
}
