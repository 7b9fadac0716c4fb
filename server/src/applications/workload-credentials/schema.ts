import Type, { type Static } from "typebox";
import { creationTime, nullable, visibleName } from "../../platform/http/index.ts";
import { listQuery } from "../../platform/paging/index.ts";

const name = visibleName("a workload credential's name", "deploy of the shop");
const issuer = Type.String({
  minLength: 1,
  maxLength: 512,
  pattern: "^[!-~]+$",
  description: "The exact `iss` of its tokens, with or without a trailing slash",
  examples: ["https://token.actions.githubusercontent.com"],
});
const jwksUri = Type.String({
  minLength: 1,
  maxLength: 2048,
  description: "The https URL of the issuer's keys. If null, OpenID Connect Discovery finds it, unless `jwks` is set",
});
const jwks = Type.Object(
  { keys: Type.Array(Type.Record(Type.String({ maxLength: 64 }), Type.Unknown()), { minItems: 1, maxItems: 20 }) },
  {
    additionalProperties: false,
    description: "The issuer's public keys, for issuers that this server cannot reach. Nothing is fetched then",
  },
);
const subject = Type.String({
  minLength: 1,
  maxLength: 1024,
  description: "The exact value of `subjectClaim`. Wildcards are not supported",
  examples: ["repo:acme/shop:ref:refs/heads/main"],
});
const claim = Type.String({
  minLength: 1,
  maxLength: 255,
  description: "The name of a claim. A dot leads into an object, `\\.` is a literal dot",
});
const audience = Type.String({
  minLength: 1,
  maxLength: 512,
  description: "The exact and only `aud` of its tokens. Use the realm's issuer, because an issuer's default audience is meant for others",
  examples: ["https://sso.example.com/realms/acme"],
});
const clientId = Type.String({ minLength: 1, maxLength: 255, description: "The OAuth client id of the client that the workload acts as" });
const scopes = Type.String({
  maxLength: 4096,
  pattern: "^([!#-\\[\\]-~]+( [!#-\\[\\]-~]+)*)?$",
  description: "The scopes that a token issued through this credential may have, separated by spaces",
});
const value = Type.String({ minLength: 1, maxLength: 1024 });
const conditions = Type.Record(claim, Type.Union([value, Type.Array(value, { minItems: 1, maxItems: 50 })]), {
  maxProperties: 20,
  description: "Claims, and the value or values that each may have, compared exactly. All of them must match",
});
const maxTokenSeconds = Type.Integer({
  minimum: 60,
  maximum: 86_400,
  description: "The longest lifetime (`exp` − `iat`) of its tokens. The longer it is, the longer a stolen token can be used",
});
const singleUse = Type.Boolean({
  description: "Each token is accepted once, by its `jti`. Tokens of Kubernetes and SPIFFE are meant to be used again",
});

export const WorkloadCredential = Type.Object(
  {
    id: Type.String({ format: "uuid" }),
    realmId: Type.String(),
    name: Type.String(),
    issuer: Type.String(),
    jwksUri: nullable(Type.String()),
    jwks: nullable(Type.Object({ keys: Type.Array(Type.Record(Type.String(), Type.Unknown())) })),
    subject: Type.String(),
    subjectClaim: Type.String(),
    conditions: Type.Record(Type.String(), Type.Union([Type.String(), Type.Array(Type.String())])),
    audience: Type.String(),
    clientId: Type.String(),
    scopes: Type.String(),
    maxTokenSeconds: Type.Integer(),
    singleUse: Type.Boolean(),
    enabled: Type.Boolean(),
    createdAt: creationTime,
  },
  { $id: "WorkloadCredential" },
);
export type WorkloadCredential = Static<typeof WorkloadCredential>;

const optional = {
  jwksUri: Type.Optional(nullable(jwksUri)),
  jwks: Type.Optional(nullable(jwks)),
  subjectClaim: Type.Optional(claim),
  conditions: Type.Optional(conditions),
  scopes: Type.Optional(scopes),
  maxTokenSeconds: Type.Optional(maxTokenSeconds),
  singleUse: Type.Optional(singleUse),
};

export const CreateWorkloadCredential = Type.Object(
  { name, issuer, subject, audience, clientId, ...optional, enabled: Type.Optional(Type.Boolean()) },
  { $id: "CreateWorkloadCredential", additionalProperties: false },
);
export type CreateWorkloadCredential = Static<typeof CreateWorkloadCredential>;

/** The full state. Members that decide access have no default. */
export const UpdateWorkloadCredential = Type.Object(
  {
    id: Type.Optional(Type.String()),
    realmId: Type.Optional(Type.String()),
    createdAt: Type.Optional(Type.Integer()),
    ...{ name, issuer, subject, audience, clientId, ...optional },
    enabled: Type.Boolean(),
  },
  { $id: "UpdateWorkloadCredential", additionalProperties: false },
);
export type UpdateWorkloadCredential = Static<typeof UpdateWorkloadCredential>;

export const WorkloadQuery = listQuery({ clientId: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })) });
export type WorkloadQuery = Static<typeof WorkloadQuery>;
