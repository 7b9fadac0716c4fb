import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import Type from "typebox";
import { eraseOneself } from "../../../directory/users/index.ts";
import type { UnitOfWork } from "../../../platform/unit-of-work.ts";
import type { Cookies } from "../../../signin/sessions/index.ts";
import { assertMayChangeSignIn } from "../audience.ts";
import { accountErrors } from "../errors.ts";

export interface OwnErasureParts {
  readonly work: UnitOfWork;
  readonly cookies: Cookies;
}

/** Mounted under /realms/:realm/account. */
export const ownErasureRoutes: FastifyPluginAsyncTypebox<OwnErasureParts> = async (app, { work, cookies }) => {
  app.delete(
    "/",
    {
      config: { recentAuthentication: true },
      schema: {
        operationId: "eraseOwnAccount",
        summary: "Erase your account for good",
        description:
          "Your account, and whatever names you, is gone when this answers; in the audit trail `erased:<uuid>` stands in your place. It cannot be " +
          "undone. Only where the realm setting `account.erase` allows it (403 `account.erase_off`); 409 for the last administrator of the " +
          "realm. Administrators use their session.",
        response: { 204: Type.Null({ description: "Erased" }) },
      },
    },
    async (req, reply) => {
      if (!req.realm.settings.account.erase) throw accountErrors.erase_off();
      // Without the address, which the event of it would keep.
      await work.transact({ realm: req.realmId, actor: req.actor!, sourceIp: null }, async (ctx) => {
        await assertMayChangeSignIn(ctx, req.client);
        await eraseOneself(ctx);
      });
      cookies.clearSession(reply, req.realmId);
      return reply.code(204).send(null);
    },
  );
};
