import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import Type, { type Static } from "typebox";
import { pathParams, route } from "../../platform/http/index.ts";
import { askToImpersonate } from "./service.ts";

export const Impersonation = Type.Object(
  {
    sessionId: Type.String({ format: "uuid", description: "The id of the session that the link will start" }),
    url: Type.String({ description: "The link. Open it in your browser: it works once" }),
    expiresAt: Type.Integer({ description: "The time until which the link works, in epoch milliseconds" }),
  },
  { $id: "Impersonation" },
);
export type Impersonation = Static<typeof Impersonation>;

export const ImpersonationForm = Type.Object(
  { ticket: Type.String({ maxLength: 128 }), _csrf: Type.Optional(Type.String({ maxLength: 512 })) },
  { $id: "ImpersonationForm" },
);

export const EndImpersonationForm = Type.Object({ _csrf: Type.Optional(Type.String({ maxLength: 512 })) }, { $id: "EndImpersonationForm" });

/** Mounted under /admin/realms/:realm/users. */
export const impersonateRoutes: FastifyPluginAsyncTypebox<{ readonly baseUrl: string }> = async (app, { baseUrl }) => {
  route(app, "POST", "/:userId/impersonate", {
    config: { permission: "manage-users", recentAuthentication: true },
    summary: "Act as a user",
    description:
      "Returns a link for your own browser, which works once within a minute. Needs every permission of the user. The session " +
      "lasts at most an hour, ends with yours, and has no access to the admin API or to the user's credentials; every event in it names you. " +
      "409 for yourself, and for a user who is disabled or locked.",
    tags: ["Users"],
    params: pathParams("userId"),
    response: { 200: Impersonation },
    handler: async (req) => {
      const { token, ...link } = await req.transact((ctx) => askToImpersonate(ctx, req.params.userId));
      return { ...link, url: `${baseUrl}/realms/${req.params.realm}/impersonation?ticket=${token}` };
    },
  });
};
