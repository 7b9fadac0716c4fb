import { isUtf8 } from "node:buffer";
import type { FastifyInstance, FastifyRequest } from "fastify";
import secureJson from "secure-json-parse";
import { AppError, type FieldError, invalidFields } from "../../kernel/errors.ts";
import { faultOfParameter, isTooDeep, MAX_JSON_DEPTH, tooDeepMembers } from "../../kernel/json.ts";
import { isCleanText } from "../../kernel/text.ts";
import { notFound } from "./problem.ts";

/** The number of reported fields. */
const MAX_REPORTED = 200;
/** RFC 7396: says what PATCH changes, and nothing that any other method could mean. */
export const MERGE_PATCH = "application/merge-patch+json";

/** JSON bodies: valid UTF-8, no prototype tricks, no text that the database could not keep as it was sent. */
export function parseJson(body: Buffer): unknown {
  if (!isUtf8(body)) throw malformed("The body is not valid UTF-8");
  const text = body.toString("utf8");
  if (isTooDeep(text)) throw tooDeep(text);
  let value: unknown;
  try {
    value = secureJson.parse(text, undefined, { protoAction: "error", constructorAction: "error" });
  } catch (cause) {
    throw malformed("The body is not valid JSON, or uses a forbidden name such as __proto__", cause);
  }
  // NUL and lone surrogates can only be written as escapes (raw NUL is not JSON), so most bodies need no second look.
  const faults = text.includes("\\u") ? dirtyFields(value) : [];
  if (faults.length > 0) throw invalidFields(faults);
  return value;
}

/** Query strings and forms are small: always looked at whole. */
export function refuseDirtyText(value: unknown): void {
  if (!isClean(value)) throw invalidFields(dirtyFields(value));
}

/** Tells whether `dirtyFields` finds nothing, as nearly always, without building the names of fields. */
function isClean(value: unknown): boolean {
  if (typeof value === "string") return isCleanText(value);
  if (typeof value !== "object" || value === null) return true;
  for (const key of Object.keys(value)) if (!isCleanText(key) || !isClean((value as Record<string, unknown>)[key])) return false;
  return true;
}

function dirtyFields(value: unknown, path = ""): FieldError[] {
  if (typeof value === "string") {
    return isCleanText(value) ? [] : [dirtyField(path)];
  }
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => {
    const field = path ? `${path}.${key}` : key;
    if (!isCleanText(key))
      return [{ field: field.toWellFormed().replaceAll("\u0000", ""), code: "text", message: "A member's name cannot be stored" }];
    return dirtyFields(member, field);
  });
}

const dirtyField = (field: string): FieldError => ({
  field,
  code: "text",
  message: `${field || "The value"} holds a NUL or half of a surrogate pair, which cannot be stored`,
});

const notPatched = () => new AppError("request.media_type", 415, `${MERGE_PATCH} is for PATCH: send application/json`);
/** For parameters whose texts may be JSON or tokens, before anything reads them. */
export function refuseUnreadableParameters(parameters: Readonly<Record<string, unknown>>): void {
  refuseDirtyText(Object.keys(parameters));
  const faults = Object.entries(parameters).flatMap(([name, value]) => {
    const found = [value].flat().flatMap((each) => faultOfParameter(String(each)) ?? []);
    return found.length === 0 ? [] : [found.includes("too_deep") ? deepField(name) : dirtyField(name)];
  });
  if (faults.length > 0) throw invalidFields(faults);
}

const deepField = (field: string): FieldError => ({
  field,
  code: "too_deep",
  message: `${field} is nested deeper than ${MAX_JSON_DEPTH} levels`,
});

function tooDeep(text: string): AppError {
  const members = () => {
    try {
      return tooDeepMembers(JSON.parse(text));
    } catch {
      return []; // not JSON either
    }
  };
  const fields = members();
  return invalidFields((fields.length > 0 ? fields : ["body"]).slice(0, MAX_REPORTED).map(deepField));
}

const malformed = (message: string, cause?: unknown) => new AppError("request.malformed", 400, message, { cause, errors: [] });

export function acceptJson(app: FastifyInstance): void {
  app.removeContentTypeParser("application/json");
  app.addContentTypeParser(["application/json", MERGE_PATCH], { parseAs: "buffer" }, (request, body, done) => {
    try {
      if (request.method !== "PATCH" && request.headers["content-type"]?.startsWith(MERGE_PATCH)) throw notPatched();
      // Many clients name the content type and send nothing; where a body is needed, the schema says so.
      done(null, body.length === 0 ? undefined : parseJson(body as Buffer));
    } catch (error) {
      done(error as Error);
    }
  });
  app.addHook("preValidation", (request, _reply, done) => {
    // In a URL such characters are percent-encoded.
    if (request.url.includes("%")) {
      if (request.query) refuseDirtyText(request.query);
      // Nothing is kept under such a name: a malformed id is a 404.
      if (request.params && dirtyFields(request.params).length > 0) return done(notFound());
    }
    done();
  });
}

/** For our own APIs: a route that declares no body takes none, or {}. A request that asks for less than the whole act must not get it. */
export function refuseUnknownBody(app: FastifyInstance): void {
  app.addHook("onRoute", (route) => {
    if (route.schema?.body !== undefined) return;
    const own = [route.preValidation ?? []].flat();
    route.preValidation = [
      ...own,
      async ({ body }: FastifyRequest) => {
        const faults = unexpected(body);
        if (faults.length > 0) throw invalidFields(faults);
      },
    ];
  });
}

function unexpected(body: unknown): FieldError[] {
  if (body === undefined || body === null) return [];
  if (typeof body !== "object" || Array.isArray(body))
    return [{ field: "body", code: "unknown", message: "body must be left out: nothing is read from it here" }];
  const names = Object.keys(body).slice(0, MAX_REPORTED);
  return names.map((field) => ({ field, code: "unknown", message: `${field} is not a known member: this takes no body` }));
}
