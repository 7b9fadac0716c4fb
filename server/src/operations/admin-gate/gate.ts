import type { FastifyPluginAsync, FastifyRequest, RouteOptions } from "fastify";
import {
  answerConditionally,
  anyOf,
  asAppError,
  bearer,
  declare,
  logFailure,
  refuseUnknownBody,
  refuseUnknownQuery,
  sendProblem,
  session,
} from "../../platform/http/index.ts";
import type { Metrics } from "../../platform/telemetry/metrics.ts";
import type { UnitOfWork } from "../../platform/unit-of-work.ts";
import { type CallerParts, countAdminWrite, createCallers, recordDenial, refuse } from "../../protocols/gate/index.ts";
import { allows } from "../../tenancy/permissions/index.ts";
import { MASTER, unknownRealm } from "../../tenancy/realms/index.ts";
import { adminSessions, adminTokens } from "./audience.ts";
import { allowAdminOrigin, type CorsParts } from "./cors.ts";

export interface GateParts extends Omit<CallerParts, "audiences">, CorsParts {
  readonly work: UnitOfWork;
  readonly metrics: Metrics;
}

/** Guards the admin routes that are registered within: `app.register(async (admin) => { guardAdminRoutes(admin, parts); … })`. */
export function guardAdminRoutes(app: Parameters<FastifyPluginAsync>[0], parts: GateParts): void {
  app.addHook("onRoute", refuseUndeclared);
  declare(app, { caller: anyOf(session(), bearer({ audience: "admin" })), csrf: "header", errors: "problem" });
  for (const name of ["client", "accessToken", "deviceToken"]) app.decorateRequest(name, null);
  const callers = createCallers({ ...parts, audiences: { admin: adminTokens(parts) } }, adminSessions(parts.realms));
  refuseUnknownQuery(app);
  refuseUnknownBody(app);
  answerConditionally(app);

  app.addHook("onRequest", async (request, reply) => {
    const { config: declaration } = request.routeOptions;
    const { permission, masterOnly = false } = declaration;
    const named = (request.params as { realm?: string }).realm;
    const known = named === undefined ? null : await parts.realms.get(named);
    // This comes before any refusal, so that a page can read the reason.
    await allowAdminOrigin(parts, request, reply, masterOnly ? null : (known?.realmId ?? null));
    if (named !== undefined && !known) throw unknownRealm();
    const realm = (masterOnly ? await parts.realms.get(MASTER) : known)!;
    reply.header("cache-control", "no-store");
    request.realmId = realm.realmId;
    const entering = { request, reply, realm, declaration };
    await callers.enter(entering, false);
    if (!allows(request.actor!.permissions, permission!)) throw refuse(request, "forbidden");
    callers.admit(entering);
  });

  app.addHook("onResponse", (request, reply, done) => {
    countAdminWrite(parts.metrics, request, reply.statusCode);
    done();
  });

  app.setErrorHandler(async (cause, request, reply) => {
    const error = asAppError(cause);
    logFailure(request, error);
    await recordDenial(parts.work, request, error, resourceOf(request));
    return sendProblem(reply, request, error);
  });
}

/**
 * Refuses routes that declare too little. A route without a permission would be open, one without a response schema could send what it should not, and
 * one outside of any realm could not know whose permissions count.
 */
function refuseUndeclared(route: RouteOptions): void {
  const { response } = (route.schema ?? {}) as { response?: object };
  const where = `${route.method} ${route.url}`;
  if (!route.config?.permission) throw new Error(`${where} declares no permission`);
  if (!response || Object.keys(response).length === 0) throw new Error(`${where} declares no response schema`);
  if (!route.config.masterOnly && !route.url.includes("/:realm/"))
    throw new Error(`${where} names no realm and is not declared masterOnly`);
}

/** Returns the resource of a request: `/admin/realms/acme/users/1` is about the user, `/admin/realms/acme` itself about the realm. */
function resourceOf(request: FastifyRequest): { resourceType: string; resourceId: string | undefined } {
  const [, , ...segments] = (request.url.split("?", 1)[0] ?? "").split("/").map(decode);
  const [resourceType = "", resourceId] = request.routeOptions.config.masterOnly ? segments : segments.slice(2);
  return { resourceType, resourceId };
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment).toWellFormed().replaceAll("\u0000", "");
  } catch {
    // Invalid percent-encoding is recorded unchanged.
    return segment;
  }
}
