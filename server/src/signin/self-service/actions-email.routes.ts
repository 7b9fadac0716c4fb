import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { Clients } from "../../applications/clients/index.ts";
import { noContent, noContentAnswer, pathParams, route } from "../../platform/http/index.ts";
import type { Messages } from "../../tenancy/messaging/index.ts";
import type { RealmSnapshots } from "../../tenancy/realms/index.ts";
import { SendActionsEmail } from "./actions-email.schema.ts";
import { checkActionsEmail, sendActionsEmail } from "./actions-email.service.ts";

export interface ActionsEmailParts {
  readonly messages: Messages;
  readonly clients: Clients;
  readonly realms: RealmSnapshots;
  readonly baseUrl: string;
}

/** Mounted under /admin/realms/:realm/users. */
export const actionsEmailRoutes: FastifyPluginAsyncTypebox<ActionsEmailParts> = async (app, parts) => {
  route(app, "POST", "/:userId/send-actions-email", {
    config: { permission: "manage-users", recentAuthentication: true },
    summary: "Send a user an email with a link to required actions",
    description:
      "The link works once and leads through the actions, after the second factor if the user has one. The user is then signed in. " +
      "The link stops working when another is sent, and when the user's password or email address changes. Needs every permission of the user. " +
      "409 for a user who is disabled or locked or has no confirmed address, and if the realm cannot send mail.",
    tags: ["Users"],
    params: pathParams("userId"),
    body: SendActionsEmail,
    response: noContentAnswer("The mail will be sent"),
    handler: async (req, reply) => {
      await checkActionsEmail((await parts.realms.get(req.params.realm))!, parts.clients, req.body);
      await req.transact((ctx) => sendActionsEmail(ctx, parts, req.params.userId, req.body));
      return noContent(reply);
    },
  });
};
