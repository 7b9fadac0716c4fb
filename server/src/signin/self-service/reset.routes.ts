import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { onRequestAsyncHookHandler } from "fastify";
import Type from "typebox";
import { refuseBy } from "../../platform/http/index.ts";
import type { UnitOfWork } from "../../platform/unit-of-work.ts";
import type { Messages } from "../../tenancy/messaging/index.ts";
import { createVisitors, type VisitorParts } from "../login/index.ts";
import { messagesOf, renderMessage, sendPage } from "../pages/index.ts";
import { beginSignIn, loginPath, seeOther, wayBack } from "./start.ts";

export interface ResetRouteParts extends VisitorParts {
  readonly work: UnitOfWork;
  readonly messages: Messages;
  readonly baseUrl: string;
  /** Refuses an address that comes too often: each visit begins something. */
  readonly limit: onRequestAsyncHookHandler;
}

const params = Type.Object({ realm: Type.String() });
const text = (maxLength: number) => Type.Optional(Type.String({ maxLength }));
const querystring = Type.Object({ interaction: text(64), return_to: text(2048), lang: text(35) });

/** Mounted under /realms/:realm: where whoever forgot their password begins. */
export const resetRoutes: FastifyPluginAsyncTypebox<ResetRouteParts> = async (app, parts) => {
  const { db, work, messages } = parts;
  const visitors = createVisitors(parts);
  refuseBy(app, "page", visitors.showFailure);

  app.get(
    "/reset-password",
    {
      onRequest: parts.limit,
      schema: {
        summary: "Forgot the password",
        description: "Begins the flow `reset-credentials`: who it is, a mail to their address, then a new password.",
        tags: ["Sign-in"],
        params,
        querystring,
        response: {
          303: Type.Null({ description: "To the first page of it" }),
          403: Type.String({ description: "The realm does not offer it, or cannot send mail" }),
        },
      },
    },
    async (request, reply) => {
      const visitor = await visitors.visitorOf(request, reply);
      const { realm } = visitor;
      const refuse = (kind: "reset-off" | "no-mail") => {
        const frame = visitors.frameOf(request, reply, visitor);
        const back = { href: loginPath(realm.realmId), label: messagesOf(frame.locale).signIn };
        return sendPage(reply, 403, renderMessage({ ...frame, kind, back }), { logoUrl: realm.settings.logoUrl });
      };
      if (!realm.settings.passwordReset.enabled) return refuse("reset-off");
      if (!(await messages.canSend(db, realm.realmId, "EMAIL"))) return refuse("no-mail");
      const { returnTo, ...origins } = await wayBack(parts, visitor, request.query);
      const asked = { flow: "reset-credentials", actions: ["UPDATE_PASSWORD"], ...origins } as const;
      return seeOther(reply, loginPath(realm.realmId, await beginSignIn(work, request, visitor, { request: asked, returnTo })));
    },
  );
};
