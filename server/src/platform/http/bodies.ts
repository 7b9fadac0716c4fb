import { isUtf8 } from "node:buffer";
import type { FastifyInstance, FastifyRequest } from "fastify";
import secureJson from "secure-json-parse";
import { AppError, type FieldError, invalidFields, malformed } from "../../kernel/errors.ts";
import { faultOfParameter, isTooDeep, MAX_JSON_DEPTH, repeatedMember, tooDeepMembers } from "../../kernel/json.ts";
import { isCleanText } from "../../kernel/text.ts";
import { notFound } from "./problem.ts";

/** The most fields that an error reports. */
const MAX_REPORTED = 200;
/** The media type of a PATCH (RFC 7396). It has no meaning for other methods. */
export const MERGE_PATCH = "application/merge-patch+json";

/** Parses a JSON body. Refuses invalid UTF-8, names that reach the prototype, repeated members, and text that the database could not store unchanged. */
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
  const repeated = repeatedMember(text);
  if (repeated !== null) throw invalidFields([{ field: repeated, code: "repeated", message: `${repeated} is given twice` }]);
  // NUL and lone surrogates can only be written as escapes (raw NUL is not JSON), so most bodies need no second look.
  const faults = text.includes("\\u") ? dirtyFields(value) : [];
  if (faults.length > 0) throw invalidFields(faults);
  return value;
}

/** Refuses text that cannot be stored. Query strings and forms are small, so they are always checked completely. */
export function refuseDirtyText(value: unknown): void {
  const faults = dirtyFields(value);
  if (faults.length > 0) throw invalidFields(faults);
}

/** Returns the first faults. The name of a field is made for a fault only: for each value of a large body, names cost many times more than parsing. */
function dirtyFields(whole: unknown): FieldError[] {
  const faults: FieldError[] = [];
  const path: (string | number)[] = [];
  const visitMember = (key: string | number, value: unknown): void => {
    if (faults.length >= MAX_REPORTED || (typeof value !== "string" && typeof value !== "object")) return;
    path.push(key);
    visit(value);
    path.pop();
  };
  const visit = (value: unknown): void => {
    if (typeof value === "string") {
      if (!isCleanText(value)) faults.push(dirtyField(path.join(".")));
    } else if (Array.isArray(value)) for (let at = 0; at < value.length; at++) visitMember(at, value[at]);
    else if (typeof value === "object" && value !== null)
      for (const [key, member] of Object.entries(value)) {
        if (isCleanText(key)) visitMember(key, member);
        else if (faults.length < MAX_REPORTED) {
          const field = [...path, key].join(".").toWellFormed().replaceAll("\u0000", "");
          faults.push({ field, code: "text", message: "A member's name cannot be stored" });
        }
      }
  };
  visit(whole);
  return faults;
}

const dirtyField = (field: string): FieldError => ({
  field,
  code: "text",
  message: `${field || "The value"} holds a NUL or half of a surrogate pair, which cannot be stored`,
});

const notPatched = () => new AppError("request.media_type", 415, `${MERGE_PATCH} is for PATCH: send application/json`);
/** Checks parameters whose texts may be JSON or tokens, before anything reads them. */
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
      return []; // the body is not JSON at all
    }
  };
  const fields = members();
  return invalidFields((fields.length > 0 ? fields : ["body"]).slice(0, MAX_REPORTED).map(deepField));
}

/**
 * Refuses compressed bodies, which no route reads: their bytes would be taken for the content. It comes after the rules about the caller, and the route
 * renders the error in its own form.
 */
export function refuseEncodedBodies(app: FastifyInstance): void {
  app.addHook("preParsing", ({ headers }, reply, _payload, done) => {
    const { "content-encoding": encoding, "content-length": length = "0", "transfer-encoding": transfer } = headers;
    if (encoding === undefined) return done();
    const isPlain = encoding.split(",").every((one) => ["", "identity"].includes(one.trim().toLowerCase()));
    if (isPlain || (length === "0" && transfer === undefined)) return done();
    reply.header("accept-encoding", "identity"); // RFC 9110 §15.5.16
    done(new AppError("request.media_type", 415, "Send the body uncompressed, without Content-Encoding"));
  });
}

export function acceptJson(app: FastifyInstance): void {
  app.removeContentTypeParser("application/json");
  app.addContentTypeParser(["application/json", MERGE_PATCH], { parseAs: "buffer" }, (request, body, done) => {
    try {
      if (request.method !== "PATCH" && request.headers["content-type"]?.startsWith(MERGE_PATCH)) throw notPatched();
      // Many clients name the content type and send nothing. If the route needs a body, its schema says so.
      done(null, body.length === 0 ? undefined : parseJson(body as Buffer));
    } catch (error) {
      done(error as Error);
    }
  });
  app.addHook("preValidation", (request, _reply, done) => {
    // In a URL such characters are always percent-encoded.
    if (request.url.includes("%")) {
      if (request.query) refuseDirtyText(request.query);
      // Nothing can be stored under such a name, so it is a 404 like any malformed id.
      if (request.params && dirtyFields(request.params).length > 0) return done(notFound());
    }
    done();
  });
}

/** Makes the routes of our own APIs refuse a body that they do not declare, except {}. A request that asks for less than the whole act must not get it. */
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
    return [{ field: "body", code: "unknown", message: "body must be left out: this operation reads none" }];
  const names = Object.keys(body).slice(0, MAX_REPORTED);
  return names.map((field) => ({ field, code: "unknown", message: `${field} is not a known member: this operation takes no body` }));
}
