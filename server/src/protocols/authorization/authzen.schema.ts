import Type, { type Static } from "typebox";
import { oneOf } from "../../platform/http/index.ts";

const open = { additionalProperties: true } as const;
const properties = Type.Optional(Type.Record(Type.String(), Type.Unknown()));
const text = Type.String();

// AuthZEN §10: other members of a request are ignored. Lengths are not limited here, because a text that is too long is not found.
const Subject = Type.Object({ type: text, id: text, properties }, { ...open, examples: [{ type: "user", id: "ada" }] });
const Action = Type.Object({ name: text, properties }, { ...open, examples: [{ name: "view" }] });
const Resource = Type.Object({ type: text, id: text, properties }, { ...open, examples: [{ type: "invoice", id: "/invoices/*" }] });
const typed = Type.Object({ type: text, properties }, open);
const Context = Type.Record(text, Type.Unknown(), {
  description: "The values of `request.*` in policies, besides `request.subject`, `.action` and `.resource`",
});

const question = { subject: { type: "user", id: "ada" }, action: { name: "view" }, resource: { type: "invoice", id: "/invoices/*" } };

export const AccessEvaluationRequest = Type.Object(
  { subject: Subject, action: Action, resource: Resource, context: Type.Optional(Context) },
  { $id: "AccessEvaluationRequest", ...open, examples: [question] },
);
export type AccessEvaluationRequest = Static<typeof AccessEvaluationRequest>;

const MOST_EVALUATIONS = 1_000;
const semantics = ["execute_all", "deny_on_first_deny", "permit_on_first_permit"] as const;
/** The members are checked one by one, so that an invalid item is answered beside the others. */
export const AccessEvaluationsRequest = Type.Object(
  {
    subject: Type.Optional(
      Type.Unknown({ description: "The default for items without their own; the same holds for `action`, `resource` and `context`" }),
    ),
    action: Type.Optional(Type.Unknown()),
    resource: Type.Optional(Type.Unknown()),
    context: Type.Optional(Type.Unknown()),
    evaluations: Type.Optional(Type.Array(Type.Unknown(), { maxItems: MOST_EVALUATIONS })),
    options: Type.Optional(Type.Object({ evaluations_semantic: Type.Optional(oneOf(semantics)) }, open)),
  },
  {
    $id: "AccessEvaluationsRequest",
    ...open,
    examples: [{ subject: question.subject, evaluations: [{ action: question.action, resource: question.resource }] }],
  },
);
export type AccessEvaluationsRequest = Static<typeof AccessEvaluationsRequest>;

export const AccessDecision = Type.Object(
  {
    decision: Type.Boolean(),
    context: Type.Optional(
      Type.Object(
        { error: Type.Object({ status: Type.Integer(), message: text }) },
        { description: "The reason why the item could not be evaluated" },
      ),
    ),
  },
  { $id: "AccessDecision" },
);
export type AccessDecision = Static<typeof AccessDecision>;
export const AccessDecisions = Type.Object(
  {
    decision: Type.Optional(Type.Boolean({ description: "The decision, if the request has no `evaluations`" })),
    evaluations: Type.Optional(Type.Array(AccessDecision)),
  },
  { $id: "AccessDecisions" },
);

const page = Type.Optional(
  Type.Object(
    {
      token: Type.Optional(Type.String({ maxLength: 2048, description: "The `next_token` of the previous page" })),
      next_token: Type.Optional(Type.String({ maxLength: 2048, description: "The same token, as drafts of AuthZEN named it" })),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 100 })),
    },
    open,
  ),
);
const pageFound = Type.Object({
  next_token: Type.String({
    description: "The token of the next page. Empty if there is none. A page may have few items, or none, and still have one",
  }),
});

export const SubjectSearchRequest = Type.Object(
  { subject: typed, action: Action, resource: Resource, context: Type.Optional(Context), page },
  { $id: "SubjectSearchRequest", ...open, examples: [{ ...question, subject: { type: "user" } }] },
);
export const ResourceSearchRequest = Type.Object(
  { subject: Subject, action: Action, resource: typed, context: Type.Optional(Context), page },
  { $id: "ResourceSearchRequest", ...open, examples: [{ ...question, resource: { type: "invoice" } }] },
);
export const ActionSearchRequest = Type.Object(
  { subject: Subject, resource: Resource, context: Type.Optional(Context), page },
  { $id: "ActionSearchRequest", ...open, examples: [{ subject: question.subject, resource: question.resource }] },
);
export type SubjectSearchRequest = Static<typeof SubjectSearchRequest>;
export type ResourceSearchRequest = Static<typeof ResourceSearchRequest>;
export type ActionSearchRequest = Static<typeof ActionSearchRequest>;

const identified = Type.Object({ type: text, id: text });
export const FoundSubjects = Type.Object({ results: Type.Array(identified), page: pageFound }, { $id: "FoundSubjects" });
export const FoundResources = Type.Object({ results: Type.Array(identified), page: pageFound }, { $id: "FoundResources" });
export const FoundActions = Type.Object({ results: Type.Array(Type.Object({ name: text })), page: pageFound }, { $id: "FoundActions" });
