import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { etag } from "../../platform/http/index.ts";
import { SubjectClaim, UpdateSubjectClaim } from "./schema.ts";
import { readSubjectClaim, replaceSubjectClaim } from "./service.ts";

const config = { permission: "manage-authorization" } as const;
const tags = ["Claims"];

/** Mounted under /admin/realms/:realm/subject-claim. */
export const subjectClaimRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    "/",
    { config, schema: { summary: "Read what applications know users by", tags, response: { 200: SubjectClaim } } },
    async (req, reply) => {
      const { subjectClaim, version } = await req.read(readSubjectClaim);
      reply.header("etag", etag(version));
      return subjectClaim;
    },
  );

  app.put(
    "/",
    {
      config,
      schema: {
        summary: "Set what applications know users by",
        description:
          "Counts for the next token. Applications take a changed `sub` for another person, so decide this before the first of them is connected.",
        tags,
        body: UpdateSubjectClaim,
        response: { 200: SubjectClaim },
      },
    },
    async (req, reply) => {
      const { subjectClaim, version } = await req.transact((ctx) => replaceSubjectClaim(ctx, req.body));
      reply.header("etag", etag(version));
      return subjectClaim;
    },
  );
};
