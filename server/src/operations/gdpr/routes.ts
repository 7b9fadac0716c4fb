import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import Type from "typebox";
import { Consent, readConsents } from "../../directory/consents/index.ts";
import { eraseUser, readUser } from "../../directory/users/index.ts";
import { callRoute, paged, pathParams, route } from "../../platform/http/index.ts";
import { ListQuery, pageInMemory, type ShortList } from "../../platform/paging/index.ts";
import { collectPersonalData, fileNameOf, PersonalData } from "../../protocols/account/index.ts";
import { readConsent, withdrawConsent } from "./consents.ts";

const tags = ["Users"];
const params = pathParams("userId");
const consentParams = Type.Object({
  realm: Type.String(),
  userId: Type.String(),
  clientId: Type.String({ description: "The client's `id`, or its OAuth client id as the list of consents shows it" }),
});
const read = { permission: "view-users" } as const;

const consentList: ShortList<Consent> = {
  sorts: { clientId: ({ clientId }) => clientId, grantedAt: ({ grantedAt }) => grantedAt },
  names: ({ clientId }) => [clientId],
};

/** Mounted under /admin/realms/:realm/users. */
export const gdprRoutes: FastifyPluginAsyncTypebox = async (app) => {
  route(app, "GET", "/:userId/gdpr/export", {
    config: { ...read, takesLong: true },
    summary: "Export all data that the realm has about a user",
    description: "Records an ADMIN_ACTION event in the audit trail.",
    tags,
    params,
    response: { 200: PersonalData },
    handler: async (req, reply) => {
      const data = await req.read((ctx) => collectPersonalData(ctx, req.params.userId));
      // The export is recorded before the data is sent.
      await req.transact(async (ctx) =>
        ctx.audit({ category: "ADMIN", type: "ADMIN_ACTION", resourceType: "users", resourceId: data.userId, detail: "gdpr export" }),
      );
      reply.header("content-disposition", `attachment; filename="${fileNameOf(data)}"`);
      return data;
    },
  });

  route(app, "GET", "/:userId/gdpr/consents", {
    config: read,
    summary: "List a user's consents",
    tags,
    params,
    querystring: ListQuery,
    response: { 200: Type.Array(Consent) },
    handler: async (req, reply) => {
      const consents = await req.read(async (ctx) => readConsents(ctx, (await readUser(ctx, req.params.userId)).userId));
      return paged(reply, pageInMemory(consents, consentList, req.query));
    },
  });

  callRoute(app, "GET", "/:userId/gdpr/consents/:clientId", {
    config: read,
    summary: "Read a user's consent to an application",
    tags,
    params: consentParams,
    answer: Consent,
    read: (ctx, { params }) => readConsent(ctx, params.userId, params.clientId),
  });

  callRoute(app, "DELETE", "/:userId/gdpr/consents/:clientId", {
    config: { permission: "manage-users", versioned: false },
    summary: "Revoke a user's consent to an application",
    description:
      "Ends every grant and token that the application has from this user. The user is asked for consent again at the next sign-in to it.",
    tags,
    params: consentParams,
    done: "Revoked",
    transact: (ctx, { params }) => withdrawConsent(ctx, params.userId, params.clientId),
  });

  callRoute(app, "DELETE", "/:userId/gdpr", {
    config: { permission: "manage-users", recentAuthentication: true, takesLong: true },
    summary: "Erase a user permanently",
    description:
      "Deletes the user and all data that names them before it responds; the audit trail has `erased:<uuid>` instead. It cannot " +
      "be undone. With `realm-admin`, this also erases a user who was deleted before. Needs every permission of the user. 409 for yourself and for the last administrator of the realm.",
    tags,
    params,
    done: "Erased",
    transact: (ctx, { params }) => eraseUser(ctx, params.userId),
  });
};
