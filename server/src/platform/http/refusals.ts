import type { FastifyInstance } from "fastify";

/** How routes tell that they refuse a request. Without it: problem+json. */
export type RefusalForm = "page" | "oauth" | "page-or-problem";

declare module "fastify" {
  interface FastifyContextConfig {
    /** For the API's description; `refuseBy` declares it of each route. */
    readonly refusals?: RefusalForm;
  }
}

type ErrorHandler = Parameters<FastifyInstance["setErrorHandler"]>[0];

/** Sets the error handler of a plugin's routes, and declares of each in which form it refuses. */
export function refuseBy(app: Pick<FastifyInstance, "addHook" | "setErrorHandler">, refusals: RefusalForm, handler: ErrorHandler): void {
  app.addHook("onRoute", (route) => {
    route.config = { ...route.config, refusals };
  });
  app.setErrorHandler(handler);
}
