import { createHash } from "node:crypto";
import { AppError, defineErrors } from "../kernel/errors.ts";
import type { Ctx } from "./context.ts";

const errors = defineErrors("request", {
  precondition_failed: [412, "The record has changed since you read it: read it again and repeat your change"],
  exists: [412, "The record exists in a version that `If-None-Match` excludes: nothing was changed"],
});

export const isPreconditionFailed = (error: unknown): boolean =>
  error instanceof AppError && error.code === errors.precondition_failed().code;

/** Returns the value of `ctx.ifMatch` for this version. */
export const etag = (version: number): string => `"${version}"`;

/** Returns the tag of one representation of a record, which can change without a new version. */
export const withDigest = (tag: string, representation: string): string =>
  `${tag.slice(0, -1)}.${createHash("sha256").update(representation).digest("base64url").slice(0, 16)}"`;

/**
 * Lets the write succeed only if the record has not changed since the caller read it (`If-Match`, RFC 9110 §13.1.1), and has none of the versions that the
 * caller excludes (`If-None-Match`, §13.1.2). The response's tag also contains a digest of the representation (`withDigest`), but a write depends on the
 * version alone and not on members that change by themselves.
 */
export function expectVersion(ctx: Ctx, version: number): void {
  expectTag(ctx, [etag(version)], bare);
  if (isKnown(ctx.ifNoneMatch, etag(version), bare)) throw errors.exists();
}

/** The context for a write that follows from the caller's: the caller's conditions are about another version or record. */
export const unconditional = (ctx: Ctx): Ctx => ({ ...ctx, ifMatch: null, ifNoneMatch: null });

/**
 * Tells whether an `If-None-Match` names the tag or everything, by `*`. The comparison is weak (RFC 9110 §13.1.2), because proxies that compress weaken our
 * tag. `read` turns a tag of the header into one that can be compared.
 */
export const isKnown = (ifNoneMatch: string | null | undefined, tag: string, read = (each: string) => each): boolean =>
  (ifNoneMatch ?? "")
    .split(",")
    .map((each) => each.trim())
    .some((each) => each === "*" || read(strong(each)) === strong(tag));

const strong = (tag: string) => tag.replace(/^W\//, "");

/** Does the same for a PUT that creates the record if there is none: `version` is null then. */
export function expectState(ctx: Ctx, version: number | null): void {
  if (version !== null) expectVersion(ctx, version);
  else if (ctx.ifMatch !== null) throw errors.precondition_failed();
}

/** Returns a record's tag without the digest of its representation. */
const bare = (tag: string) => tag.replace(/^("\d+)\.[\w-]+"$/, '$1"');

/** Does the same for a write to something that the version does not count: the caller must have seen one of these representations. */
export function expectTag(ctx: Ctx, tags: readonly string[], read = (tag: string) => tag): void {
  if (ctx.ifMatch === null || ctx.ifMatch.trim() === "*") return;
  const seen = ctx.ifMatch.split(",").map((tag) => read(tag.trim()));
  if (!tags.some((tag) => seen.includes(tag))) throw errors.precondition_failed();
}
