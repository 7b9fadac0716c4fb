import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { callRoute, collectionRoutes, pathParams } from "../../platform/http/index.ts";
import { type InvitationParts, invite, readInvitation, searchInvitations, withdrawInvitation } from "./invitations.service.ts";
import { CreateInvitation, Invitation, InvitationQuery } from "./schema.ts";

const tags = ["Organizations"];
const params = pathParams("orgId");
const write = { permission: "manage-organizations" } as const;

/** Mounted under …/organizations/:orgId/invitations. */
export const invitationRoutes: FastifyPluginAsyncTypebox<InvitationParts> = async (app, parts) => {
  collectionRoutes(app, "/", {
    tags,
    params,
    record: Invitation,
    list: {
      config: { permission: "view-users" },
      summary: "List the invitations of an organization",
      description: "Returns the newest first. An invitation is deleted thirty days after it expired.",
      query: InvitationQuery,
      run: (ctx, { orgId }, query) => searchInvitations(ctx, orgId, query),
    },
    create: {
      config: write,
      summary: "Invite a person by mail",
      description:
        "Sends the template `invitation-email` with a link that works once. An invitation to the same address that was not " +
        "accepted yet is replaced, and its link stops working. 409 `messaging.no_provider` if the realm cannot send mail.",
      body: CreateInvitation,
      id: ({ invitationId }) => invitationId,
      run: (ctx, { orgId }, body) => invite(ctx, parts, orgId, body),
    },
  });

  callRoute(app, "GET", "/:invitationId", {
    config: { permission: "view-users" },
    summary: "Read an invitation",
    tags,
    params: pathParams("orgId", "invitationId"),
    answer: Invitation,
    read: (ctx, { params }) => readInvitation(ctx, params.orgId, params.invitationId),
  });

  callRoute(app, "DELETE", "/:invitationId", {
    config: write,
    summary: "Withdraw an invitation",
    description: "Its link stops working. Users who accepted it are still members.",
    tags,
    params: pathParams("orgId", "invitationId"),
    done: "Withdrawn",
    transact: (ctx, { params }) => withdrawInvitation(ctx, params.orgId, params.invitationId),
  });
};
