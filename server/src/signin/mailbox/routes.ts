import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import Type from "typebox";
import { renderMailbox, sendPage } from "../../pages/index.ts";
import { browser, declare, field, notFound, route } from "../../platform/http/index.ts";
import type { Mailbox } from "../../tenancy/messaging/index.ts";
import { isLocal, type Visitors } from "../login/index.ts";

/** The page of an empty mailbox reloads at this interval. */
const LOOK_AGAIN_SECONDS = 3;

/** Mounted under /realms/:realm, if there is a mailbox. */
export const mailboxRoutes: FastifyPluginAsyncTypebox<{
  readonly mailbox: Mailbox;
  readonly visitors: Visitors;
  readonly baseUrl: string;
}> = async (app, { mailbox, visitors, baseUrl }) => {
  declare(app, { tags: ["Sign-in"], caller: browser(), errors: "page" });

  route(app, "GET", "/mailbox", {
    hide: true,
    params: Type.Object({ realm: Type.String() }),
    querystring: Type.Object({ lang: field(35) }),
    handler: async (request, reply) => {
      if (!isLocal(request)) throw notFound();
      const path = `/realms/${request.realmId}/mailbox`;
      const mails = mailbox.mailsOf(request.realmId);
      const frame = { ...visitors.frameAt(request, reply, request.visitor, path), mailbox: undefined };
      const html = renderMailbox({ ...frame, mails, ownOrigin: new URL(baseUrl).origin });
      return sendPage(reply, 200, html, mails.length === 0 ? { refresh: { seconds: LOOK_AGAIN_SECONDS, to: path } } : {});
    },
  });
};
