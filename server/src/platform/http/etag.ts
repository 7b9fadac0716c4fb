import { defineErrors } from "../../kernel/errors.ts";
import type { Ctx } from "../context.ts";

const errors = defineErrors("request", {
  precondition_failed: [412, "The record has changed since you read it: read it again, and apply your change to that"],
});

export const etag = (version: number): string => `"${version}"`;

/** RFC 9110 §13.1.1: the write goes on only if the record is still the one the caller saw. */
export function expectVersion(ctx: Ctx, version: number): void {
  if (ctx.ifMatch === null || ctx.ifMatch.trim() === "*") return;
  const seen = ctx.ifMatch.split(",").map((tag) => tag.trim());
  if (!seen.includes(etag(version))) throw errors.precondition_failed();
}

/** RFC 9110 §13.1.2: weak comparison, because proxies that compress weaken our tag. */
export const isKnown = (ifNoneMatch: string | undefined, tag: string): boolean =>
  (ifNoneMatch ?? "")
    .split(",")
    .map((each) => each.trim().replace(/^W\//, ""))
    .some((each) => each === tag || each === "*");
