import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { callRoute, collectionRoutes, pathParams } from "../../platform/http/index.ts";
import { readMember, removeMember, searchMembers, setMember } from "./members.service.ts";
import { Member, MemberQuery, SetMember } from "./schema.ts";

const tags = ["Organizations"];
const params = pathParams("orgId", "userId");
const write = { permission: "manage-organizations" } as const;

/** Mounted under …/organizations/:orgId/members. */
export const memberRoutes: FastifyPluginAsyncTypebox = async (app) => {
  collectionRoutes(app, "/", {
    tags,
    params: pathParams("orgId"),
    record: Member,
    list: {
      config: { permission: "view-users" },
      summary: "List the members of an organization",
      query: MemberQuery,
      run: (ctx, { orgId }, query) => searchMembers(ctx, orgId, query),
    },
  });

  callRoute(app, "GET", "/:userId", {
    config: { permission: "view-users" },
    operationId: "getOrganizationMember",
    summary: "Read a membership in an organization",
    tags,
    params,
    answer: Member,
    read: (ctx, { params }) => readMember(ctx, params.orgId, params.userId),
  });

  callRoute(app, "PUT", "/:userId", {
    config: write,
    summary: "Make a user a member, or give a member another role",
    description:
      "If `role` or `managed` is omitted, or if there is no body, it is unchanged; a new member gets the role `member`. `managed: true` needs `manage-users` and every permission of the user.",
    tags,
    params,
    body: SetMember,
    transact: (ctx, req) => setMember(ctx, req.params.orgId, req.params.userId, req.body),
  });

  callRoute(app, "DELETE", "/:userId", {
    config: write,
    summary: "Remove a user from an organization",
    tags,
    params,
    transact: (ctx, { params }) => removeMember(ctx, params.orgId, params.userId),
  });
};
