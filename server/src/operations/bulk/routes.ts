import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { asAppError, logFailure, pathParams, route } from "../../platform/http/index.ts";
import type { UnitOfWork } from "../../platform/unit-of-work.ts";
import { recordDenial } from "../../protocols/gate/index.ts";
import { BulkReport, BulkRequest } from "./schema.ts";
import { assertMayAct, runBulk } from "./service.ts";

/** Mounted under /admin/realms/:realm/users/bulk. */
export const bulkRoutes: FastifyPluginAsyncTypebox<{ work: UnitOfWork }> = async (app, { work }) => {
  route(app, "POST", "/", {
    config: { permission: ["manage-users", "manage-roles", "manage-organizations"], takesLong: true, versioned: false },
    summary: "Perform an action on many users",
    description:
      "Each user is changed by the rules of the single request, with an event of its own. An error does not affect the other users: the response has the result of each.",
    operationId: "bulkUsers",
    tags: ["Users"],
    params: pathParams(),
    body: BulkRequest,
    response: { 200: BulkReport },
    handler: async (req) => {
      assertMayAct(req.actor!.permissions, req.body);
      const refused = async (userId: string, cause: unknown) => {
        const error = asAppError(cause);
        logFailure(req, error);
        await recordDenial(work, req, error, { resourceType: "users", resourceId: userId });
        return error;
      };
      return runBulk({ transact: req.transact.bind(req), refused }, req.body);
    },
  });
};
