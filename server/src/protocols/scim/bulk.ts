import type { FastifyRequest } from "fastify";
import { AppError } from "../../kernel/errors.ts";
import { isObject } from "../../kernel/json.ts";
import { asAppError } from "../../platform/http/index.ts";
import { allows, type Permission } from "../../tenancy/permissions/index.ts";
import { callOf, type ScimCall } from "./call.ts";
import { MAX_BULK_OPERATIONS } from "./discovery.ts";
import { scimError, scimErrorOf, scimErrors } from "./errors.ts";
import { createGroup, patchGroup, readGroup, removeGroup, replaceGroup } from "./groups/service.ts";
import { readOperations } from "./patch/operations.ts";
import type { Resource } from "./schema/attribute.ts";
import { BULK_RESPONSE } from "./schema/documents.ts";
import { createUser, patchUser, removeUser, replaceUser, type UserParts } from "./users/service.ts";

interface BulkOperation {
  readonly method: string;
  readonly path: string;
  readonly bulkId: string | undefined;
  readonly version: string | null;
  readonly data: unknown;
}

const REFERENCE = /^bulkId:(.+)$/;

/**
 * RFC 7644 §3.7: runs each operation in a transaction of its own, in the order of the request. One that refers to a later one by `bulkId`
 * waits for it.
 */
export async function runBulk(request: FastifyRequest, parts: UserParts & { readonly baseUrl: string }): Promise<Resource> {
  const { operations, failOnErrors } = readBulk(request.body);
  const created = new Map<string, string>();
  const answers = new Array<Resource | undefined>(operations.length);
  const announced = new Set(operations.flatMap(({ bulkId, method }) => (bulkId !== undefined && method === "POST" ? [bulkId] : [])));
  let errors = 0;
  const pending = operations.map(({ path, data }, at) => ({ at, references: referencesIn([path, data]) }));
  const isReady = ({ references }: (typeof pending)[number]) => references.every((id) => created.has(id) || !announced.has(id));
  while (pending.length > 0 && errors < failOnErrors) {
    // If all wait for each other, each fails.
    const [{ at }] = pending.splice(Math.max(pending.findIndex(isReady), 0), 1) as [(typeof pending)[number]];
    const operation = operations[at]!;
    const answer = await runOne(request, parts, operation, created);
    answers[at] = answer;
    const id = /\/([^/]+)$/.exec(String(answer.location ?? ""))?.[1];
    if (answer.response === undefined && operation.bulkId !== undefined && id) created.set(operation.bulkId, id);
    else if (operation.bulkId !== undefined) announced.delete(operation.bulkId);
    if (answer.response !== undefined) errors++;
  }
  return { schemas: [BULK_RESPONSE], Operations: answers.filter((answer) => answer !== undefined) };
}

function readBulk(body: unknown): { operations: BulkOperation[]; failOnErrors: number } {
  const list = isObject(body) ? body.Operations : undefined;
  if (!isObject(body) || !Array.isArray(list)) throw scimError("invalidSyntax", "Operations must be a list of operations");
  if (list.length > MAX_BULK_OPERATIONS)
    throw new AppError("scim.too_many_operations", 413, `A bulk request has at most ${MAX_BULK_OPERATIONS} operations`);
  const { failOnErrors } = body;
  if (failOnErrors !== undefined && !(Number.isSafeInteger(failOnErrors) && (failOnErrors as number) > 0))
    throw scimError("invalidValue", "failOnErrors must be a whole number from 1");
  const operations = list.map((each) => {
    if (!isObject(each) || typeof each.method !== "string" || typeof each.path !== "string")
      throw scimError("invalidSyntax", "An operation has a method and a path");
    const { bulkId, version, data } = each;
    return {
      method: each.method.toUpperCase(),
      path: each.path,
      bulkId: typeof bulkId === "string" && bulkId !== "" ? bulkId : undefined,
      version: typeof version === "string" ? version : null,
      data,
    };
  });
  const ids = operations.flatMap(({ bulkId }) => bulkId ?? []);
  if (new Set(ids).size < ids.length) throw scimError("invalidValue", "A bulkId names one operation");
  return { operations, failOnErrors: (failOnErrors as number | undefined) ?? Number.POSITIVE_INFINITY };
}

/** Returns the ids that values, at any depth, and path segments refer to. */
function referencesIn(value: unknown): string[] {
  if (typeof value === "string") return [...value.matchAll(/bulkId:([^"\]/]+)/g)].map(([, id]) => id!);
  if (Array.isArray(value)) return value.flatMap(referencesIn);
  return isObject(value) ? Object.values(value).flatMap(referencesIn) : [];
}

function resolved(value: unknown, created: ReadonlyMap<string, string>): unknown {
  if (typeof value === "string") {
    const whole = REFERENCE.exec(value)?.[1];
    if (whole !== undefined) return created.get(whole) ?? unresolved(whole);
    return value.replace(/bulkId:([^"\]/]+)/g, (text, id) => created.get(id) ?? text);
  }
  if (Array.isArray(value)) return value.map((each) => resolved(each, created));
  return isObject(value) ? Object.fromEntries(Object.entries(value).map(([name, member]) => [name, resolved(member, created)])) : value;
}

function unresolved(id: string): never {
  throw new AppError("scim.unresolved", 409, `bulkId:${id} refers to no resource that was created`);
}

async function runOne(
  request: FastifyRequest,
  parts: UserParts & { readonly baseUrl: string },
  { method, path, bulkId, version, data }: BulkOperation,
  created: ReadonlyMap<string, string>,
): Promise<Resource> {
  const call = callOf(request, parts.baseUrl, version);
  const named = { method, ...(bulkId !== undefined && { bulkId }) };
  try {
    const [, area = "", id] = String(resolved(path, created)).split("/");
    const known = areas(parts);
    const operate = Object.hasOwn(known, area) ? known[area] : undefined;
    if (!operate) throw scimErrors.not_found();
    if (!allows(request.actor!.permissions, operate.permission)) throw scimErrors.forbidden();
    const done = await operate.run(call, method, id, resolved(data, created));
    return { ...named, ...done };
  } catch (cause) {
    const error = asAppError(cause);
    if (error.status >= 500) request.log.error({ err: error.cause ?? error }, "a bulk operation failed");
    if (error.status === 403) await recordDenial(call, method, path, error);
    return { ...named, status: String(error.status), response: scimErrorOf(error) };
  }
}

const recordDenial = (call: ScimCall, method: string, path: string, { code }: AppError): Promise<void> => {
  const [, area = "", id] = path.split("/");
  const about = { resourceType: area.toLowerCase().slice(0, 255), ...(id && { resourceId: id.slice(0, 255) }) };
  return call.transact(async (ctx) =>
    ctx.audit({ category: "ADMIN", type: "ADMIN_DENIED", outcome: "FAILURE", ...about, detail: `${method} ${code}` }),
  );
};

type Done = { readonly status: string; readonly location?: string; readonly version?: string };

const of = (status: string, { meta }: Resource): Done => {
  const { location, version } = meta as { location: string; version: string };
  return { status, location, version };
};

const badMethod = () => scimError("invalidSyntax", "An operation is a POST to a collection, or a PUT, PATCH or DELETE of a resource");

const areas = (
  parts: UserParts,
): Record<
  string,
  { permission: Permission; run: (call: ScimCall, method: string, id: string | undefined, data: unknown) => Promise<Done> }
> => ({
  Users: {
    permission: "manage-users",
    async run(call, method, id, data) {
      if (method === "POST" && id === undefined) return of("201", await createUser(call, parts, data));
      if (id === undefined) throw badMethod();
      if (method === "PUT") return of("200", await replaceUser(call, parts, id, data));
      if (method === "PATCH") return of("200", await patchUser(call, parts, id, readOperations(data)));
      if (method !== "DELETE") throw badMethod();
      await removeUser(call, id);
      return { status: "204", location: `${call.connection.url}/Users/${id}` };
    },
  },
  Groups: {
    permission: "manage-organizations",
    async run(call, method, id, data) {
      const read = async (status: string, groupId: string) => of(status, (await readGroup(call, groupId, () => false)).group);
      if (method === "POST" && id === undefined) return read("201", await createGroup(call, data));
      if (id === undefined) throw badMethod();
      if (method === "PUT") await replaceGroup(call, id, data);
      else if (method === "PATCH") await patchGroup(call, id, readOperations(data));
      else if (method === "DELETE") {
        await removeGroup(call, id);
        return { status: "204", location: `${call.connection.url}/Groups/${id}` };
      } else throw badMethod();
      return read("200", id);
    },
  },
});
