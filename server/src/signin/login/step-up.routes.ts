import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import Type from "typebox";
import type { RequiredAction } from "../../directory/users/index.ts";
import { field, redirect, route } from "../../platform/http/index.ts";
import { loginPath } from "./begin.ts";
import { returnTarget } from "./return-target.ts";
import type { PageParts } from "./visitors.ts";

/** Mounted under /realms/:realm. `stepUpUrl` in a refusal of an API sends people here. */
export const stepUpRoutes: FastifyPluginAsyncTypebox<Pick<PageParts, "visitors"> & { readonly baseUrl: string }> = async (
  app,
  { visitors, baseUrl },
) => {
  route(app, "GET", "/login/step-up", {
    // Each visit begins something.
    config: { limit: "signIns" },
    summary: "Sign in again, or with a second factor",
    description:
      "The address of `stepUpUrl`, to which a 403 of the admin API and the account API refers. It asks for a sign-in within the last ten minutes, with the " +
      "second factor if the user has one, and redirects to `return_to`.",
    querystring: Type.Object({
      return_to: field(2048, "The path on this server to continue at"),
      set_up: field(8, "`totp`: users who have no authenticator app set one up as well"),
      lang: field(35),
    }),
    response: { 303: redirect("Redirects to the sign-in page") },
    handler: async (request, reply) => {
      const returnTo = returnTarget(request.query.return_to, baseUrl, loginPath(request.realmId));
      const isMissing = request.query.set_up === "totp" && request.visitor.session?.user.credentials.has("totp") === false;
      const actions: readonly RequiredAction[] = isMissing ? ["CONFIGURE_TOTP"] : [];
      return visitors.toSignIn(request, reply, { kind: "page", request: { recent: true, actions }, returnTo });
    },
  });
};
