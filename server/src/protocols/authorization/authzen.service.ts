import * as authz from "../../applications/authorization/index.ts";
import { isId } from "../../kernel/ids.ts";
import { isObject } from "../../kernel/json.ts";
import { OAuthError, oauthErrors } from "../../kernel/oauth-error.ts";
import type { ReadCtx } from "../../platform/context.ts";
import type * as schemas from "./authzen.schema.ts";

type Members = Readonly<Record<string, unknown>>;

/** Returns the data that policies read as `request.*`: the context, and the request's subject, action and resource. */
const requestOf = (
  context: Members | undefined,
  parts: { readonly subject?: Members; readonly action?: Members; readonly resource?: Members },
) => ({
  ...context,
  ...parts,
});

const askedOf = ({ subject, action, resource, context }: schemas.AccessEvaluationRequest): authz.DecisionAsked => ({
  ...{ subject, action: action.name, resource },
  request: requestOf(context, { subject, action, resource }),
});

/** Returns the decision, with the data for the audit trail. */
export async function evaluateOne(
  { tx, now }: ReadCtx,
  server: authz.ResourceServer,
  input: schemas.AccessEvaluationRequest,
): Promise<Answered> {
  const asked = askedOf(input);
  const [decision] = await authz.decideAll(tx, server, [asked], now);
  return { ...decision!, asked };
}

export type Answered = authz.Decision & { readonly asked: authz.DecisionAsked };

export const isSingle = ({ evaluations }: schemas.AccessEvaluationsRequest): boolean =>
  evaluations === undefined || evaluations.length === 0;

/** §7: decides each item with the defaults of the request. An invalid item is answered in its place, and is treated as denied. */
export async function evaluateSeveral(
  { tx, now }: ReadCtx,
  server: authz.ResourceServer,
  { evaluations = [], options, ...defaults }: schemas.AccessEvaluationsRequest,
): Promise<{ readonly evaluations: schemas.AccessDecision[]; readonly answered: readonly Answered[] }> {
  const questions = evaluations.map((item) => questionOf(item, defaults));
  const asked = questions.flatMap((question) => (typeof question === "string" ? [] : [question]));
  const decisions = await authz.decideAll(tx, server, asked, now);
  const answers: schemas.AccessDecision[] = [];
  const answered: Answered[] = [];
  const { evaluations_semantic: semantic = "execute_all" } = options ?? {};
  for (const question of questions) {
    if (typeof question === "string") answers.push({ decision: false, context: { error: { status: 400, message: question } } });
    else {
      const decision = decisions[answered.length]!;
      answered.push({ ...decision, asked: question });
      answers.push({ decision: decision.isPermitted });
    }
    const { decision } = answers.at(-1)!;
    if ((semantic === "deny_on_first_deny" && !decision) || (semantic === "permit_on_first_permit" && decision)) break;
  }
  return { evaluations: answers, answered };
}

/** Returns a question, or the reason why an item is none. */
function questionOf(item: unknown, defaults: Members): authz.DecisionAsked | string {
  if (!isObject(item)) return "an evaluation must be an object";
  const member = (name: string) => (item[name] === undefined ? defaults[name] : item[name]);
  const [subject, action, resource, context] = ["subject", "action", "resource", "context"].map(member);
  const texts = (name: string, value: unknown, members: readonly string[]): string | null => {
    if (!isObject(value)) return `${name} is needed`;
    const missing = members.find((each) => typeof value[each] !== "string");
    if (missing !== undefined) return `${name}.${missing} must be a text`;
    return value.properties === undefined || isObject(value.properties) ? null : `${name}.properties must be an object`;
  };
  const problem =
    texts("subject", subject, ["type", "id"]) ??
    texts("action", action, ["name"]) ??
    texts("resource", resource, ["type", "id"]) ??
    (context === undefined || isObject(context) ? null : "context must be an object");
  return problem ?? askedOf({ subject, action, resource, context } as schemas.AccessEvaluationRequest);
}

interface Paged {
  readonly page?: { readonly token?: string; readonly next_token?: string; readonly limit?: number } | undefined;
}
const limitOf = ({ page }: Paged) => page?.limit ?? 100;
const encode = (position: unknown): string => (position === null ? "" : Buffer.from(JSON.stringify(position)).toString("base64url"));

/** Reads the position in a page token. It is only a place in the caller's own data, so it is checked but not signed. */
function positionIn<T>({ page }: Paged, isPosition: (value: unknown) => value is T): T | null {
  const token = page?.token || page?.next_token;
  if (!token) return null;
  try {
    const position: unknown = JSON.parse(Buffer.from(token, "base64url").toString());
    if (isPosition(position)) return position;
  } catch {
    // An unreadable token is refused below.
  }
  throw oauthErrors.invalidRequest("page.token must come from an answer of this search");
}

export async function searchActions({ tx, now }: ReadCtx, server: authz.ResourceServer, input: schemas.ActionSearchRequest) {
  const { subject, resource, context } = input;
  const names = await authz.permittedActions(tx, server, { subject, resource, request: requestOf(context, { subject, resource }) }, now);
  return { results: names.map((name) => ({ name })), page: { next_token: "" } };
}

const isAfter = (value: unknown): value is { name: string; id: string } =>
  isObject(value) && typeof value.name === "string" && !value.name.includes("\u0000") && typeof value.id === "string" && isId(value.id);

export async function searchResources({ tx, now }: ReadCtx, server: authz.ResourceServer, input: schemas.ResourceSearchRequest) {
  const { subject, action, resource, context } = input;
  const asked = { subject, action: action.name, type: resource.type, request: requestOf(context, { subject, action, resource }) };
  const position = { limit: limitOf(input), after: positionIn(input, isAfter), now };
  const { results, next } = await authz.permittedResources(tx, server, asked, position);
  // A name identifies the client's own resources. Several resources of users may have the same name.
  const found = results.map(({ type, name, id, ownerId }) => ({ type: type ?? "", id: ownerId === null ? name : id }));
  return { results: found, page: { next_token: encode(next) } };
}

const isUserId = (value: unknown): value is string => typeof value === "string" && isId(value);

/** Finds users, by id only, if an administrator who may view users has enabled it. */
export async function searchSubjects({ tx, now }: ReadCtx, server: authz.ResourceServer, input: schemas.SubjectSearchRequest) {
  if (!server.settings.subjectSearch)
    throw new OAuthError("access_denied", "search of subjects is not enabled for this client (subjectSearch)", { status: 403 });
  const { subject, action, resource, context } = input;
  const position = { limit: limitOf(input), after: positionIn(input, isUserId), now };
  if (subject.type !== "user") return { results: [], page: { next_token: "" } };
  const asked = { action: action.name, resource, request: requestOf(context, { subject, action, resource }) };
  const { results, next } = await authz.permittedUsers(tx, server, asked, position);
  return { results: results.map((id) => ({ type: "user", id })), page: { next_token: encode(next) } };
}
