import { invalidFields } from "../../kernel/errors.ts";
import { type Ctx, type ReadCtx, recordConfigChange } from "../../platform/context.ts";
import { lockRealm } from "../../platform/db/index.ts";
import { expectVersion } from "../../platform/versions.ts";
import { keepAttributesApart } from "../attribute-uses/index.ts";
import type { SubjectClaim, UpdateSubjectClaim } from "./schema.ts";
import { findSubjectClaim, saveSubjectClaim } from "./store.ts";

type VersionedSubjectClaim = SubjectClaim & { readonly version: number };

export async function readSubjectClaim(ctx: Pick<ReadCtx, "tx" | "realm">): Promise<VersionedSubjectClaim> {
  const { subjectClaim, version } = await findSubjectClaim(ctx.tx, ctx.realm);
  return { ...subjectClaim, version };
}

export async function replaceSubjectClaim(ctx: Ctx, input: UpdateSubjectClaim): Promise<VersionedSubjectClaim> {
  const subjectClaim = checkedSubjectClaim(input);
  // There may be no row to lock, so the realm is locked.
  await lockRealm(ctx.tx, ctx.realm);
  expectVersion(ctx, (await findSubjectClaim(ctx.tx, ctx.realm)).version);
  const version = await saveSubjectClaim(ctx.tx, ctx.realm, subjectClaim);
  if (subjectClaim.attribute !== null) await keepAttributesApart(ctx, "attribute");
  const detail = subjectClaim.attribute === null ? subjectClaim.strategy : `${subjectClaim.strategy} ${subjectClaim.attribute}`;
  await recordConfigChange(ctx, "ADMIN_UPDATE", "subject-claim", ctx.realm, detail);
  return { ...subjectClaim, version };
}

/** Checks the rules beyond the schema. */
function checkedSubjectClaim({ strategy, attribute = null }: UpdateSubjectClaim): SubjectClaim {
  const field = "attribute";
  if (strategy === "attribute" && attribute === null)
    throw invalidFields([{ field, code: "required", message: "attribute is required: the attribute with the subject" }]);
  if (strategy !== "attribute" && attribute !== null)
    throw invalidFields([{ field, code: "unexpected", message: "attribute belongs to the strategy attribute; leave it out or send null" }]);
  return { strategy, attribute };
}
