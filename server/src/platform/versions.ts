import { AppError, defineErrors } from "../kernel/errors.ts";
import type { Ctx } from "./context.ts";

const errors = defineErrors("request", {
  precondition_failed: [412, "The record has changed since you read it: read it again, and apply your change to that"],
});

export const isPreconditionFailed = (error: unknown): boolean =>
  error instanceof AppError && error.code === errors.precondition_failed().code;

/** The value of `ctx.ifMatch` for this version. */
export const etag = (version: number): string => `"${version}"`;

/**
 * RFC 9110 §13.1.1: the write succeeds only if the record has not changed since the caller read it. The response's tag also carries a digest of the
 * representation (platform/http/replies.ts); a write depends on the version alone, not on members that change by themselves.
 */
export function expectVersion(ctx: Ctx, version: number): void {
  if (ctx.ifMatch === null || ctx.ifMatch.trim() === "*") return;
  const seen = ctx.ifMatch.split(",").map((tag) => tag.trim().replace(/^("\d+)\.[\w-]+"$/, '$1"'));
  if (!seen.includes(etag(version))) throw errors.precondition_failed();
}
