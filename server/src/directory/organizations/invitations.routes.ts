import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { collectionRoutes, noContent, noContentAnswer, pathParams } from "../../platform/http/index.ts";
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
      description: "Newest first. An invitation is deleted thirty days after it has expired.",
      query: InvitationQuery,
      run: (ctx, { orgId }, query) => searchInvitations(ctx, orgId, query),
    },
    create: {
      config: write,
      summary: "Invite a person by mail",
      description:
        "Sends the template `invitation-email` with a link that works once. An invitation to the same address that was not " +
        "accepted yet is replaced: its link ends. 409 `messaging.no_provider` where the realm cannot send mail.",
      body: CreateInvitation,
      id: ({ invitationId }) => invitationId,
      run: (ctx, { orgId }, body) => invite(ctx, parts, orgId, body),
    },
  });

  app.get(
    "/:invitationId",
    {
      config: { permission: "view-users" },
      schema: { summary: "Read an invitation", tags, params: pathParams("orgId", "invitationId"), response: { 200: Invitation } },
    },
    (req) => req.read((ctx) => readInvitation(ctx, req.params.orgId, req.params.invitationId)),
  );

  app.delete(
    "/:invitationId",
    {
      config: write,
      schema: {
        summary: "Withdraw an invitation",
        description: "Its link stops working. Users who accepted it stay members.",
        tags,
        params: pathParams("orgId", "invitationId"),
        response: noContentAnswer("Withdrawn"),
      },
    },
    async (req, reply) => noContent(reply, await req.transact((ctx) => withdrawInvitation(ctx, req.params.orgId, req.params.invitationId))),
  );
};
