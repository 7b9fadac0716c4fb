import type { FastifyRequest } from "fastify";
import { AppError } from "../../kernel/errors.ts";
import type { Actor } from "../../platform/context.ts";
import { allows } from "../../tenancy/permissions/index.ts";
import type { RealmSnapshot } from "../../tenancy/realms/index.ts";
import type { RequestedResource } from "./admin-writes.ts";
import type { Entering } from "./callers.ts";
import { tokenInHeader } from "./presented.ts";
import { refuse } from "./refusals.ts";

/**
 * Opaque tokens of one kind, each with permissions. The room that issues them defines it, and app/realm-routes.ts lists it by the kind that
 * routes declare.
 */
export interface PermissionTokens {
  /** The description of a 401. */
  readonly invalid: string;
  /** Returns the token's actor with its current permissions, or null if the token is unknown, revoked or expired. */
  actorOf(request: FastifyRequest, realm: RealmSnapshot, token: string): Promise<Actor | null>;
  /** Returns the resource for ADMIN_DENIED. */
  resourceOf(request: FastifyRequest): RequestedResource;
}

/** RFC 6750 §2.1: authenticates by a token, only in the header. Cookies are ignored. */
export async function enterByToken(tokens: PermissionTokens, { request, realm, declaration }: Entering): Promise<void> {
  const presented = tokenInHeader(request);
  const actor = presented?.scheme === "bearer" ? await tokens.actorOf(request, realm, presented.token) : null;
  if (!actor) {
    const challenge = request.headers.authorization === undefined ? "Bearer" : 'Bearer error="invalid_token"';
    throw new AppError(`${declaration.codes ?? "auth"}.token`, 401, tokens.invalid, { headers: { "www-authenticate": challenge } });
  }
  request.actor = actor;
  if (declaration.permission !== undefined && !allows(actor.permissions, declaration.permission)) throw refuse(request, "token_forbidden");
}
