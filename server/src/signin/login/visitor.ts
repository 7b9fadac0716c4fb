import type { FastifyReply, FastifyRequest } from "fastify";
import type { RealmSnapshot } from "../../tenancy/realms/index.ts";
import type { LiveSession } from "../sessions/index.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** The realm of the path, once the gate has let the request in. */
    realm: RealmSnapshot;
    /** Present on routes that declare `browser()`, `link()` or `session()` on a page. */
    visitor: Visitor;
  }
}

export interface Exchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** The visitor of a request to a page of the realm. */
export interface Visitor {
  readonly realm: RealmSnapshot;
  readonly session: LiveSession | null;
  readonly preSession: string;
  /** The pre-sessions that a sign-in in progress in this browser may be bound to: `preSession`, and those before the last sign-ins. */
  readonly preSessions: readonly string[];
  /** The value that CSRF tokens of this visitor are bound to. */
  readonly binding: string;
  /** The token by which the browser is known to users who have signed in with it. */
  readonly deviceToken: string | null;
  /** The identity provider that this browser signed in at last, and the one that a typed name led it to a moment ago. */
  readonly lastProvider: string | null;
  readonly ledTo: string | null;
  /** The language that was chosen on one of our pages. */
  readonly language: string | undefined;
}
