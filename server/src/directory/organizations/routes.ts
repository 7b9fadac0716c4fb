import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { collectionRoutes, pathParams, recordRoutes } from "../../platform/http/index.ts";
import { ListQuery } from "../../platform/paging/index.ts";
import { type DomainParts, domainRoutes } from "./domains.routes.ts";
import { invitationRoutes } from "./invitations.routes.ts";
import type { InvitationParts } from "./invitations.service.ts";
import { memberRoutes } from "./members.routes.ts";
import { CreateOrganization, Organization, UpdateOrganization } from "./schema.ts";
import { createOrganization, readOrganization, removeOrganization, saveOrganization, searchOrganizations } from "./service.ts";

const tags = ["Organizations"];
const params = pathParams("orgId");
const read = { permission: "view-users" } as const;
const write = { permission: "manage-organizations" } as const;

/** Mounted under /admin/realms/:realm/organizations. */
export const organizationRoutes: FastifyPluginAsyncTypebox<InvitationParts & DomainParts> = async (app, parts) => {
  collectionRoutes(app, "/", {
    tags,
    record: Organization,
    list: {
      config: read,
      summary: "List organizations",
      description: "`search` compares the beginning of the name, alias, display name and domains.",
      query: ListQuery,
      run: (ctx, _params, query) => searchOrganizations(ctx, query),
    },
    create: {
      config: write,
      summary: "Create an organization",
      body: CreateOrganization,
      id: ({ organizationId }) => organizationId,
      run: (ctx, _params, body) => createOrganization(ctx, body),
    },
  });

  recordRoutes(app, "/:orgId", {
    tags,
    params,
    record: Organization,
    read: { config: read, summary: "Read an organization", run: (ctx, { orgId }) => readOrganization(ctx, orgId) },
    replace: {
      config: write,
      summary: "Replace an organization's state",
      body: UpdateOrganization,
      run: (ctx, { orgId }, body) => saveOrganization(ctx, orgId, body),
    },
    remove: {
      config: write,
      summary: "Delete an organization",
      description: "Its members are still users of the realm.",
      run: (ctx, { orgId }) => removeOrganization(ctx, orgId),
    },
  });

  await app.register(domainRoutes, { ...parts, prefix: "/:orgId/domains" });
  await app.register(memberRoutes, { prefix: "/:orgId/members" });
  await app.register(invitationRoutes, { ...parts, prefix: "/:orgId/invitations" });
};
