import Type, { type Static } from "typebox";
import { nullable, oneOf } from "../../platform/http/index.ts";
import { policyTypes } from "./evaluator/index.ts";
import { CreateAuthzPolicy } from "./policies.schema.ts";
import { CreateAuthzPermission, scopeName, strategies } from "./schema.ts";

const verdict = oneOf(["PERMIT", "DENY"]);
const name = Type.String({ minLength: 1, maxLength: 255 });
/** The maximum number of resources in one evaluation. */
export const MOST_RESOURCES = 100;

export const EvaluateRequest = Type.Object(
  {
    userId: Type.Optional(Type.String({ maxLength: 320, description: "The subject is a user, by id or username" })),
    clientId: Type.Optional(Type.String({ maxLength: 255, description: "The subject is a client in its own name, by client id" })),
    agentId: Type.Optional(Type.String({ format: "uuid", description: "The subject is an agent in its own name, by id" })),
    actors: Type.Optional(
      Type.Array(Type.String({ maxLength: 255 }), {
        maxItems: 5,
        description:
          "The clients that act for the subject, by client id. Only what all of them may do is allowed, unless `delegation` is `subject`",
      }),
    ),
    throughClientId: Type.Optional(Type.String({ maxLength: 255, description: "The client that the user's token was issued to" })),
    tokenScopes: Type.Optional(
      Type.Array(Type.String({ maxLength: 128 }), { maxItems: 100, description: "Client scopes of the token, by name" }),
    ),
    resources: Type.Optional(
      Type.Array(
        Type.Object(
          {
            name: Type.String({ minLength: 1, maxLength: 255, description: "The name or id of the resource" }),
            scopes: Type.Optional(Type.Array(scopeName, { maxItems: 100 })),
          },
          { additionalProperties: false },
        ),
        { maxItems: MOST_RESOURCES },
      ),
    ),
    resourceType: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 255,
        description: "A resource type. Without `resources`, the first hundred resources of this type are evaluated",
      }),
    ),
    scopes: Type.Optional(
      Type.Array(scopeName, {
        maxItems: 100,
        description:
          "Scopes that are requested for all of the resources. Without resources, the first hundred resources that have one of these scopes are evaluated",
      }),
    ),
    context: Type.Optional(
      Type.Record(Type.String({ maxLength: 128 }), Type.Unknown(), {
        maxProperties: 50,
        description: "Claims that the request pushes. Policies read them as `request.*`",
      }),
    ),
    policies: Type.Optional(
      Type.Array(CreateAuthzPolicy, {
        maxItems: 50,
        description: "Policies for a dry run. Each replaces the policy of the same name, or is added",
      }),
    ),
    permissions: Type.Optional(
      Type.Array(CreateAuthzPermission, {
        maxItems: 50,
        description: "Permissions for a dry run. Each replaces the permission of the same name, or is added",
      }),
    ),
  },
  { $id: "AuthzEvaluateRequest", additionalProperties: false, examples: [{ userId: "ada", resources: [{ name: "/invoices/*" }] }] },
);
export type EvaluateRequest = Static<typeof EvaluateRequest>;

const PolicyResult = Type.Object({
  name,
  type: oneOf(policyTypes),
  logic: oneOf(["POSITIVE", "NEGATIVE"]),
  status: oneOf(["PERMIT", "DENY", "UNKNOWN"], { description: "UNKNOWN: the result cannot be determined, which denies" }),
  reason: Type.String(),
});
const PermissionResult = Type.Object({
  name,
  type: oneOf(["resource", "scope"]),
  decisionStrategy: oneOf(strategies),
  status: verdict,
  policies: Type.Array(PolicyResult),
});
export const EvaluateResponse = Type.Object(
  {
    status: verdict,
    results: Type.Array(
      Type.Object({
        resource: nullable(Type.Object({ resourceId: Type.String(), name: Type.String(), type: nullable(Type.String()) })),
        scopes: Type.Array(Type.String(), { description: "The requested scopes, or all scopes of the resource if none were named" }),
        status: verdict,
        allowedScopes: Type.Array(Type.String()),
        deniedScopes: Type.Array(Type.String()),
        reason: Type.String(),
        permissions: Type.Array(PermissionResult),
      }),
    ),
  },
  { $id: "AuthzEvaluateResponse" },
);
export type EvaluateResponse = Static<typeof EvaluateResponse>;
