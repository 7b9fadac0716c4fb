import { addTo } from "../../kernel/lists.ts";
import { newEffort } from "../../kernel/pattern.ts";
import type { Db } from "../../platform/db/index.ts";
import { type AskedResult, evaluate, type Subject } from "./evaluator/index.ts";
import { pick } from "./pick.ts";
import type { ResourceServer } from "./resource-server.ts";
import { type After, type AskedResource, resourcesFor } from "./resources.store.ts";
import { agentKey, findClientSubjects, findUserSubjects, userIdsAfter } from "./subjects.store.ts";

// Evaluations of AuthZEN: one subject, one action, one resource. Anything unknown is denied, without a reason.

/** A user by id, username or mail address, a client by its client id, or an agent by its id. */
export interface SubjectAsked {
  readonly type: string;
  readonly id: string;
}

export interface ResourceAsked {
  readonly type: string;
  /** A name or an id. */
  readonly id: string;
}

export interface DecisionAsked {
  readonly subject: SubjectAsked;
  readonly action: string;
  readonly resource: ResourceAsked;
  /** The claims that the request pushed. */
  readonly request: Readonly<Record<string, unknown>>;
}

export interface Decision {
  readonly isPermitted: boolean;
  /** Null if there is no such subject, resource or action. */
  readonly result: AskedResult | null;
  readonly subject: Subject | null;
}

/** Decides all requests in at most three statements, whatever their number. */
export async function decideAll(db: Db, server: ResourceServer, asked: readonly DecisionAsked[], now: number): Promise<Decision[]> {
  const subjects = await subjectsFor(
    db,
    server,
    asked.map(({ subject }) => subject),
  );
  const users = [...new Set([...subjects.values()].filter(({ kind }) => kind === "user").map(({ id }) => id))];
  const subjectOf = ({ type, id }: SubjectAsked) => subjects.get(`${type} ${id}`) ?? null;
  const userOf = (subject: Subject | null) => (subject?.kind === "user" ? subject.id : null);
  const pairs = asked.map(({ subject, resource }) => ({ name: resource.id, userId: userOf(subjectOf(subject)) }));
  const found = await resourcesFor(db, server, { by: "pairs", pairs }, users, { limit: 0 });
  const resourceOf = finder(found);
  const effort = newEffort();
  return asked.map(({ subject: asking, action, resource: { type, id }, request }) => {
    const subject = subjectOf(asking);
    const resource = resourceOf(type, id, userOf(subject));
    if (!subject || !resource?.scopes.includes(action)) return { isPermitted: false, result: null, subject };
    const [result] = evaluate(server.model, { subjects: [subject], request, now, effort }, [{ resource, scopes: [action] }]);
    return { isPermitted: result!.status === "PERMIT", result: result!, subject };
  });
}

/** Creates a function that finds a resource by type and name or id, without a scan of all of them for each. */
function finder(found: readonly AskedResource[]) {
  const index = new Map<string, AskedResource[]>();
  const add = (key: string, resource: AskedResource) => addTo(index, key, resource);
  for (const resource of found) {
    add(resource.name, resource);
    if (resource.id !== resource.name) add(resource.id, resource);
  }
  return (type: string, id: string, userId: string | null): AskedResource | undefined => {
    const possible = [...(index.get(id) ?? []), ...(index.get(id.toLowerCase()) ?? [])].filter((each) => each.type === type);
    return pick(possible, id, userId === null ? [] : [userId]);
  };
}

/** Finds the subjects. The keys of the map are `type id`. */
async function subjectsFor(db: Db, { realm }: ResourceServer, asked: readonly SubjectAsked[]): Promise<Map<string, Subject>> {
  const idsOf = (type: string) => [...new Set(asked.filter((each) => each.type === type).map(({ id }) => id))];
  const found = new Map<string, Subject>();
  const users = idsOf("user");
  if (users.length > 0) for (const [id, subject] of await findUserSubjects(db, realm, users)) found.set(`user ${id}`, subject);
  const clients = idsOf("client");
  const agents = idsOf("agent");
  const byName = await findClientSubjects(db, realm, clients, undefined, agents);
  for (const id of clients) if (byName.has(id)) found.set(`client ${id}`, byName.get(id)!);
  for (const id of agents) if (byName.has(agentKey(id))) found.set(`agent ${id}`, byName.get(agentKey(id))!);
  return found;
}

/** Returns the actions that the subject may take with the resource. */
export async function permittedActions(
  db: Db,
  server: ResourceServer,
  { subject: asking, resource: { type, id }, request }: Omit<DecisionAsked, "action">,
  now: number,
): Promise<readonly string[]> {
  const subject = [...(await subjectsFor(db, server, [asking])).values()][0];
  if (!subject) return [];
  const userId = subject.kind === "user" ? subject.id : null;
  const found = await resourcesFor(db, server, { by: "pairs", pairs: [{ name: id, userId }] }, userId ? [userId] : [], { limit: 0 });
  const resource = finder(found)(type, id, userId);
  if (!resource) return [];
  return evaluate(server.model, { subjects: [subject], request, now }, [{ resource, scopes: null }])[0]!.allowedScopes;
}

/** A page of a search. It may have fewer results than the limit after many rows were checked. */
export interface Found<T, Position> {
  readonly results: readonly T[];
  /** The position of the next page. Null if there is no more. */
  readonly next: Position | null;
}

const BATCH = 500;
const MOST_SCANNED = 2_000;

/** Returns the resources of a type with which the subject may take the action. */
export async function permittedResources(
  db: Db,
  server: ResourceServer,
  { subject: asking, action, type, request }: Pick<DecisionAsked, "subject" | "action" | "request"> & { readonly type: string },
  { limit, after, now }: { readonly limit: number; readonly after: After | null; readonly now: number },
): Promise<Found<AskedResource, After>> {
  const subject = [...(await subjectsFor(db, server, [asking])).values()][0];
  if (!subject || !server.scopes.has(action)) return { results: [], next: null };
  const users = subject.kind === "user" ? [subject.id] : [];
  return scan(after, limit, {
    read: (position) => resourcesFor(db, server, { by: "type", type }, users, { limit: BATCH, after: position }),
    permitted: (resources) => {
      const asked = resources.filter(({ scopes }) => scopes.includes(action)).map((resource) => ({ resource, scopes: [action] }));
      const results = evaluate(server.model, { subjects: [subject], request, now }, asked);
      const permitted = new Set(results.filter(({ status }) => status === "PERMIT").map(({ asked: { resource } }) => resource?.id));
      return resources.filter(({ id }) => permitted.has(id));
    },
    positionOf: ({ name, id }) => ({ name, id }),
  });
}

/** Returns the ids of the users who may take the action with the resource. */
export async function permittedUsers(
  db: Db,
  server: ResourceServer,
  { action, resource, request }: Pick<DecisionAsked, "action" | "resource" | "request">,
  { limit, after, now }: { readonly limit: number; readonly after: string | null; readonly now: number },
): Promise<Found<string, string>> {
  return scan(after, limit, {
    read: (position) => userIdsAfter(db, server.realm, position, BATCH),
    permitted: async (ids) => {
      const asked = ids.map((id) => ({ subject: { type: "user", id }, action, resource, request }));
      const decisions = await decideAll(db, server, asked, now);
      return ids.filter((_, at) => decisions[at]!.isPermitted);
    },
    positionOf: (id) => id,
  });
}

/** Scans until the page is full, there are no more rows, or the maximum was checked. */
async function scan<T, Position>(
  from: Position | null,
  limit: number,
  steps: {
    read(after: Position | null): Promise<readonly T[]>;
    permitted(rows: readonly T[]): readonly T[] | Promise<readonly T[]>;
    positionOf(row: T): Position;
  },
): Promise<Found<T, Position>> {
  const results: T[] = [];
  let after = from;
  for (let scanned = 0; scanned < MOST_SCANNED; ) {
    const rows = await steps.read(after);
    const permitted = await steps.permitted(rows);
    const room = limit - results.length;
    results.push(...permitted.slice(0, room));
    if (permitted.length > room || (permitted.length === room && rows.length === BATCH)) {
      const last = permitted[room - 1];
      return { results, next: last === undefined ? after : steps.positionOf(last) };
    }
    if (rows.length < BATCH) return { results, next: null };
    scanned += rows.length;
    after = steps.positionOf(rows.at(-1)!);
  }
  return { results, next: after };
}
