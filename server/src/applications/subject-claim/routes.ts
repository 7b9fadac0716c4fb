import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { pathParams, recordRoutes } from "../../platform/http/index.ts";
import { SubjectClaim, UpdateSubjectClaim } from "./schema.ts";
import { readSubjectClaim, replaceSubjectClaim } from "./service.ts";

const config = { permission: "manage-authorization" } as const;
const tags = ["Claims"];

/** Mounted under /admin/realms/:realm/subject-claim. */
export const subjectClaimRoutes: FastifyPluginAsyncTypebox = async (app) => {
  recordRoutes(app, "/", {
    tags,
    params: pathParams(),
    record: SubjectClaim,
    read: { config, summary: "Read the realm's subject claim", run: readSubjectClaim },
    replace: {
      config,
      summary: "Set the realm's subject claim",
      description:
        "Applies from the next token on. Applications treat a changed `sub` as another person, so set this before the first of them is connected.",
      body: UpdateSubjectClaim,
      run: (ctx, _params, body) => replaceSubjectClaim(ctx, body),
    },
  });
};
