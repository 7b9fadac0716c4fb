import type { FastifyRequest } from "fastify";
import type { AppError } from "../../kernel/errors.ts";
import { isWrite } from "../../platform/http/index.ts";
import type { Metrics } from "../../platform/telemetry/metrics.ts";
import { requestSource, type UnitOfWork } from "../../platform/unit-of-work.ts";

/** The resource of a request, for the audit trail. */
export interface RequestedResource {
  readonly resourceType: string;
  readonly resourceId: string | undefined;
}

/** Counts a write of the admin API in `svc_admin_write_total`. */
export function countAdminWrite(metrics: Metrics, request: FastifyRequest, status: number): void {
  if (!isWrite(request) || !request.realmId) return;
  if (status < 400) metrics.adminWrite(request.realmId, request.method, "success");
  else if (status === 401 || status === 403) metrics.adminWrite(request.realmId, request.method, "denied");
}

/** Records a write that was refused by 403, in a separate transaction, because its own was rolled back or never began. */
export async function recordDenial(
  work: UnitOfWork,
  request: FastifyRequest,
  error: AppError,
  { resourceType, resourceId }: RequestedResource,
): Promise<void> {
  const { actor, realmId: realm } = request;
  if (error.status !== 403 || !isWrite(request) || !actor) return;
  // The source is read only here, because an aborted connection has no address any more.
  await work.transact({ realm, actor, ...requestSource(request) }, async (ctx) =>
    ctx.audit({
      category: "ADMIN",
      type: "ADMIN_DENIED",
      outcome: "FAILURE",
      resourceType,
      ...(resourceId && { resourceId: resourceId.slice(0, 2048) }),
      detail: `${request.method} ${error.code}`,
    }),
  );
}
