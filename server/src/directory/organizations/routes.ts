import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import Type from "typebox";
import { describePage, etag, ListQuery } from "../../platform/http/index.ts";
import { invitationRoutes } from "./invitations.routes.ts";
import type { InvitationParts } from "./invitations.service.ts";
import { memberRoutes } from "./members.routes.ts";
import { CreateOrganization, Organization, UpdateOrganization } from "./schema.ts";
import { createOrganization, readOrganization, removeOrganization, saveOrganization, searchOrganizations } from "./service.ts";

const tags = ["Organizations"];
const params = Type.Object({ realm: Type.String(), orgId: Type.String() });
const read = { permission: "view-users" } as const;
const write = { permission: "manage-organizations" } as const;

/** Mounted under /admin/realms/:realm/organizations. */
export const organizationRoutes: FastifyPluginAsyncTypebox<InvitationParts> = async (app, parts) => {
  app.get(
    "/",
    {
      config: read,
      schema: {
        summary: "List organizations",
        description: "`search` looks at the beginning of name, alias, display name and domains.",
        tags,
        querystring: ListQuery,
        response: { 200: Type.Array(Organization) },
      },
    },
    async (req, reply) => {
      const page = await req.read((ctx) => searchOrganizations(ctx, req.query));
      describePage(req, reply, page);
      return page.rows;
    },
  );

  app.post(
    "/",
    { config: write, schema: { summary: "Create an organization", tags, body: CreateOrganization, response: { 201: Organization } } },
    async (req, reply) => {
      const organization = await req.transact((ctx) => createOrganization(ctx, req.body));
      return reply.code(201).header("etag", etag(organization.version)).send(organization);
    },
  );

  app.get(
    "/:orgId",
    { config: read, schema: { summary: "Read an organization", tags, params, response: { 200: Organization } } },
    async (req, reply) => {
      const organization = await req.read((ctx) => readOrganization(ctx, req.params.orgId));
      reply.header("etag", etag(organization.version));
      return organization;
    },
  );

  app.put(
    "/:orgId",
    {
      config: write,
      schema: { summary: "Replace an organization's state", tags, params, body: UpdateOrganization, response: { 200: Organization } },
    },
    async (req, reply) => {
      const organization = await req.transact((ctx) => saveOrganization(ctx, req.params.orgId, req.body));
      reply.header("etag", etag(organization.version));
      return organization;
    },
  );

  app.delete(
    "/:orgId",
    {
      config: write,
      schema: {
        summary: "Delete an organization",
        description: "Its members stay users of the realm.",
        tags,
        params,
        response: { 204: Type.Null({ description: "Deleted" }) },
      },
    },
    async (req, reply) => {
      await req.transact((ctx) => removeOrganization(ctx, req.params.orgId));
      return reply.code(204).send(null);
    },
  );

  await app.register(memberRoutes, { prefix: "/:orgId/members" });
  await app.register(invitationRoutes, { ...parts, prefix: "/:orgId/invitations" });
};
