import type { FastifyReply, FastifyRequest } from "fastify";
import type { AppError } from "../../kernel/errors.ts";
import { OAuthError } from "../../kernel/oauth-error.ts";
import type { RealmCache } from "../../platform/cache/index.ts";
import { notFound, type ServedPath } from "../../platform/http/index.ts";
import { type RealmSnapshot, unknownRealm } from "../../tenancy/realms/index.ts";
import type { RealmGateParts } from "./gate.ts";

/**
 * Answers requests that no route takes. A browser gets a page, as for an address without one. Everyone else gets the error in the form that
 * the path declares for its methods.
 */
export const createUnservedAnswer =
  ({ realms, errors }: { readonly realms: RealmCache<RealmSnapshot>; readonly errors: RealmGateParts["errors"] }) =>
  async (error: AppError, served: ServedPath | null, request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    if (request.method === "GET" && (request.headers.accept ?? "").includes("text/html")) return errors.page(notFound(), request, reply);
    const { errors: form, wrongMethod = "invalid_request" } = served?.config ?? {};
    const render = errors[typeof form === "string" && form !== "page" ? form : "problem"];
    const [, realm] = /^\/realms\/([^/?]+)/.exec(request.url) ?? [];
    if (served && realm !== undefined && !(await realms.get(realm))) return render(unknownRealm(), request, reply);
    const { status, message, headers = {} } = error;
    return render(served && form === "oauth" ? new OAuthError(wrongMethod, message, { status, headers }) : error, request, reply);
  };
