import type { FastifyInstance } from "fastify";
import { isWrite } from "../../platform/http/index.ts";

/** Limits what a signed-in user changes in their account: each change leaves events, which nobody can delete. A route may have a lower limit of its own. */
export function limitWrites(app: Pick<FastifyInstance, "addHook">): void {
  app.addHook("onRoute", (route) => {
    if ([route.method].flat().some((method) => isWrite({ method }))) route.config = { limit: "account-writes", ...route.config };
  });
}
