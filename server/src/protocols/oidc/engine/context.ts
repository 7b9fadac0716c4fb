import type { IncomingMessage } from "node:http";
import type { FastifyRequest } from "fastify";
import type { Interaction, KoaContextWithOIDC, Provider } from "oidc-provider";
import type { LiveSession } from "../../../signin/sessions/index.ts";
import type { RealmParts } from "../parts.ts";

// Finds the realm's parts and the request for the engine's context.

const realms = new WeakMap<object, RealmParts>();

export const setRealmParts = (provider: Provider, parts: RealmParts): void => void realms.set(provider, parts);

/** Returns the parts of the realm of an engine request, because all realms share the engine's steps. */
export function partsOf({ oidc: { provider } }: KoaContextWithOIDC): RealmParts {
  const parts = realms.get(provider);
  if (!parts) throw new Error("A Provider that belongs to no realm");
  return parts;
}

const requests = new WeakMap<IncomingMessage, FastifyRequest>();

export const setRequest = (request: FastifyRequest): void => void requests.set(request.raw, request);

/** Returns the Fastify request of an engine request. */
export const requestOf = (ctx: { req: IncomingMessage }): FastifyRequest | undefined => requests.get(ctx.req);

interface Resumed {
  /** The interaction with its answer. */
  readonly interaction: Interaction;
  readonly session: LiveSession | null;
}

const resumed = new WeakMap<IncomingMessage, Resumed>();

/** Passes the interaction and the session to the engine in memory, so that it does not read them again. */
export const setResumed = (request: IncomingMessage, interaction: Interaction, session: LiveSession | null): void =>
  void resumed.set(request, { interaction, session });

export const resumedBy = (request: IncomingMessage | undefined): Resumed | undefined => request && resumed.get(request);
