import type { IncomingHttpHeaders } from "node:http";
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { FastifyReply, FastifyRequest } from "fastify";
import Type from "typebox";
import { type ClientSnapshot, type GrantType, grantTypes, rulesOfGrantType } from "../../applications/clients/index.ts";
import { listOf } from "../../kernel/lists.ts";
import { oauthErrors } from "../../kernel/oauth-error.ts";
import { client, declare, route } from "../../platform/http/index.ts";
import { requestSource } from "../../platform/unit-of-work.ts";
import { authenticateClient, ForeignOrigin, type Form, isPublic, withBearerSubject } from "../client-auth/index.ts";
import { allowOrigin, clientForm, formOf, issuerFor, takeForms } from "../gate/index.ts";
import { proveBinding } from "../proof/index.ts";
import * as tokens from "../tokens/index.ts";
import { type Grant, type Issue, type Presented, Replayed, type Source, type TokenAnswerBody, type TokenCtx } from "./grant.ts";
import { grantOf, grants } from "./grants/index.ts";
import type { TokenEndpointParts, TokenEndpoints } from "./parts.ts";
import { refreshTokenOf, useAndStore } from "./store.ts";

const Tokens = Type.Object(
  {
    access_token: Type.String({ description: "A JWT (RFC 9068)" }),
    token_type: Type.String(),
    expires_in: Type.Integer({ description: "The lifetime in seconds" }),
    scope: Type.Optional(Type.String()),
    id_token: Type.Optional(Type.String()),
    refresh_token: Type.Optional(Type.String()),
  },
  { $id: "Tokens", additionalProperties: true },
);

/** The parameters of all grants, for the OpenAPI document. */
const parameters = new Set(Object.values(grants).flatMap((grant) => grant.parameters));
const TokenForm = clientForm(
  {
    grant_type: Type.Union(grantTypes.map((type) => Type.Literal(type))),
    ...Object.fromEntries([...parameters].map((name) => [name, Type.Optional(Type.String())])),
  },
  { grant_type: "client_credentials" },
);

/** Mounted under /realms/:realm: the token endpoint. */
export const tokenRoutes: FastifyPluginAsyncTypebox<{ issuers: TokenEndpoints }> = async (app, { issuers }) => {
  declare(app, { tags: ["Protocol"], caller: client({ in: "pipeline" }), errors: "oauth" });
  app.setErrorHandler(allowReading);
  takeForms(app);

  route(app, "POST", "/token", {
    serializerCompiler: () => JSON.stringify,
    summary: "The token endpoint (RFC 6749 §3.2)",
    description: "The body is a form with `grant_type`, the parameters of that grant, and client authentication.",
    ...TokenForm,
    response: { 200: Tokens },
    handler: async (request, reply) => {
      const { parts } = await issuerFor(issuers, request);
      const { client, body } = await answerTokenRequest(parts, {
        headers: request.headers,
        form: formOf(request),
        ...requestSource(request),
      });
      // RFC 6749 §5.1 requires these headers.
      reply.header("content-type", "application/json; charset=utf-8").header("cache-control", "no-store");
      allowOrigin(request, reply, client);
      return reply.send(body);
    },
  });
};

/** CORS: lets the client's own pages read an error, and no other origin. The gate sends the error. */
function allowReading(cause: unknown, request: FastifyRequest, reply: FastifyReply): never {
  if (cause instanceof ForeignOrigin) reply.header("vary", "Origin");
  else allowOrigin(request, reply, null);
  throw cause;
}

interface TokenRequest {
  readonly headers: IncomingHttpHeaders;
  readonly form: Form;
  readonly sourceIp: string;
  readonly requestId: string;
}

interface TokenAnswer {
  readonly client: ClientSnapshot;
  /** The body of the response (RFC 6749 §5.1). */
  readonly body: TokenAnswerBody;
}

/** Answers a token request (RFC 6749 §3.2). A grant cannot skip a step, and no step depends on the grant type. */
async function answerTokenRequest(parts: TokenEndpointParts, request: TokenRequest): Promise<TokenAnswer> {
  const { headers, form, sourceIp, requestId } = withBearerSubject(request);
  const url = `${parts.issuer}/token`;
  const client = await authenticateClient(parts, { headers, form, endpoint: url, sourceIp, requestId });
  const type = allowedGrantType(client, form);
  const grant = grantOf(type, form.requested_token_type);
  const presented = presentedParameters(parts, grant, form);
  const binding = await proveBinding(parts, client, { headers, method: "POST", url });
  const ctx: TokenCtx = { parts, client, binding, sourceIp, requestId };

  const source = await grant.find(ctx, presented);
  if (source instanceof Replayed) return refuseReplay(ctx, source);
  grant.check?.(ctx, source, presented);
  if (source.denied) return refuseDenied(ctx, source);
  const issue = await grant.issue(ctx, source, presented);
  await assertAllowed(ctx, issue);

  // Tokens are signed before anything is consumed, so that the client can try again after a failure.
  const refresh = issue.kind === "user" && issue.refresh ? refreshTokenOf(ctx, issue.refresh) : null;
  const made = await makeTokens(ctx, issue, refresh?.token);
  const outcome = await useAndStore(ctx, source, refresh);
  if (outcome instanceof Replayed) return refuseReplay(ctx, outcome);

  await grant.record?.(ctx, source, made.expiresAt, issue);
  count(ctx, type, made);
  return { client, body: made.body };
}

/** Answers an exchange at its own path, which consumes and stores nothing. `countedAs` is the grant type in metrics. */
export async function answerIssue(ctx: TokenCtx, countedAs: string, issue: Issue & { readonly kind: "user" }): Promise<object> {
  await assertAllowed(ctx, issue);
  const made = await makeTokens(ctx, issue, undefined);
  count(ctx, countedAs, made);
  return made.body;
}

function count({ parts, client }: TokenCtx, type: string, made: Made): void {
  if (made.expiresAt === null) return;
  tokens.countTokens(parts, type, made.body);
  parts.activity.usedAgent(client);
}

/** RFC 6749 §5.2: refuses unsupported grant types first, then those that the client may not use. */
function allowedGrantType(client: ClientSnapshot, form: Form): GrantType {
  const { grant_type: type } = form;
  if (Array.isArray(type)) throw oauthErrors.invalidRequest("grant_type parameter must not be provided twice");
  if (!type) throw oauthErrors.invalidRequest("missing required parameter 'grant_type'");
  if (!isGrantType(type)) throw oauthErrors.unsupportedGrantType();
  if (!client.grantTypes.includes(type)) throw oauthErrors.unauthorizedClient("requested grant type is not allowed for this client");
  if (rulesOfGrantType(type).isConfidentialOnly && isPublic(client))
    throw oauthErrors.unauthorizedClient("only a client that authenticates may use this grant");
  return type;
}

const isGrantType = (type: unknown): type is GrantType => typeof type === "string" && Object.hasOwn(grants, type);

/** RFC 6749 §3.2: reads the parameters. Ignores unknown ones, treats empty ones as omitted, and refuses repeated ones. */
export function presentedParameters(
  { scopesOfRealm }: TokenEndpointParts,
  { parameters, lists = [], hasForeignScopes = false }: Pick<Grant, "parameters" | "lists" | "hasForeignScopes">,
  form: Form,
): Presented {
  const params: Record<string, string | undefined> = {};
  const several: Record<string, readonly string[]> = {};
  const twice: string[] = [];
  for (const name of parameters) {
    const value = form[name];
    if (lists.includes(name)) several[name] = listOf(value).filter((one) => one !== "");
    else if (Array.isArray(value)) twice.push(name);
    else if (value) params[name] = value as string;
  }
  if (twice.length > 0) throw oauthErrors.invalidRequest(`${twice.join(" and ")} must not be provided twice`);
  tokens.checkScopeSyntax(params.scope);
  if (!hasForeignScopes) params.scope = tokens.knownScopes(scopesOfRealm, params.scope);
  return { params, lists: several };
}

/** Runs the policy step, for every grant including refresh. A refusal consumes nothing. */
function assertAllowed({ parts, client }: TokenCtx, issue: Issue): Promise<void> {
  const userId = issue.kind === "user" ? issue.tokens.userId : issue.kind === "decision" ? issue.userId : null;
  const ofAgent = issue.kind === "user" ? tokens.impersonatorAt(client, issue.tokens.impersonator) : null;
  return tokens.assertAccess(parts, client, { userId, entryChecks: parts.entryChecks, impersonator: issue.impersonator ?? ofAgent });
}

type Made =
  | { readonly expiresAt: number; readonly body: Readonly<Record<string, unknown>> }
  | { readonly expiresAt: null; readonly body: TokenAnswerBody };

/** RFC 6749 §5.1, RFC 9396 §7: makes the response. JSON leaves out undefined members. */
async function makeTokens({ parts, client, binding }: TokenCtx, issue: Issue, refreshToken: string | undefined): Promise<Made> {
  if (issue.kind === "decision") return { expiresAt: null, body: issue.body };
  const { scopes, authorizationDetails } = issue.kind === "client" ? issue : issue.tokens;
  const { access, idToken } =
    issue.kind === "client"
      ? { access: await tokens.clientAccessToken(parts, client, issue, binding), idToken: null }
      : await tokens.userTokens(parts, client, issue.tokens, binding);
  const body = Object.assign({}, issue.answer, {
    access_token: access.jwt,
    expires_in: access.expiresIn,
    id_token: idToken ?? undefined,
    // A user's grant always contains the scopes that remain of the requested ones.
    scope: scopes.join(" ") || (issue.kind === "user" ? "" : undefined),
    token_type: tokens.tokenTypeOf(binding),
    authorization_details: authorizationDetails,
    refresh_token: refreshToken,
    issued_token_type: issue.kind === "user" ? issue.issuedTokenType : undefined,
  });
  return { expiresAt: access.expiresAt, body };
}

/** RFC 9700 §4.14.2: revokes the grant after a replay. */
async function refuseReplay({ parts }: TokenCtx, { record }: Replayed): Promise<never> {
  await tokens.revokeFamily({ work: parts.work, realm: parts.realm.realmId }, record);
  throw oauthErrors.invalidGrant();
}

async function refuseDenied(ctx: TokenCtx, source: Source): Promise<never> {
  const outcome = await useAndStore(ctx, source, null);
  throw outcome instanceof Replayed ? oauthErrors.invalidGrant() : source.denied;
}
