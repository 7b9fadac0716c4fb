import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import Type from "typebox";
import { browser, declare, field, page, redirect, route } from "../../platform/http/index.ts";
import type { Messages } from "../../tenancy/messaging/index.ts";
import type { PageParts } from "../login/index.ts";
import { wayBack } from "./start.ts";

interface ResetRouteParts extends PageParts {
  readonly messages: Messages;
  readonly baseUrl: string;
}

const querystring = Type.Object({ interaction: field(64), return_to: field(2048), lang: field(35) });

/** Mounted under /realms/:realm. The reset of a forgotten password begins here. */
export const resetRoutes: FastifyPluginAsyncTypebox<ResetRouteParts> = async (app, parts) => {
  const { db, messages, visitors } = parts;
  // Each request begins a sign-in.
  declare(app, { tags: ["Sign-in"], caller: browser(), limit: "signIns", errors: "page" });

  route(app, "GET", "/reset-password", {
    summary: "Start the reset of a forgotten password",
    description:
      "Starts the flow `reset-credentials`: it asks for the username, sends a mail to the user's address, and then asks for a new password.",
    querystring,
    response: {
      303: redirect("Redirects to the first page of the flow"),
      403: page("The realm does not offer it, or cannot send mail"),
    },
    handler: async (request, reply) => {
      const { visitor, realm } = request;
      const reason = !realm.settings.passwordReset.enabled
        ? "reset-off"
        : (await messages.canSend(db, realm.realmId, "EMAIL"))
          ? null
          : "no-mail";
      if (reason !== null) return visitors.showMessageBeforeSignIn(request, reply, 403, reason);
      const { returnTo, ...origins } = await wayBack(parts, visitor, request.query);
      const asked = { flow: "reset-credentials", actions: ["UPDATE_PASSWORD"], ...origins } as const;
      return visitors.toSignIn(request, reply, { request: asked, returnTo });
    },
  });
};
