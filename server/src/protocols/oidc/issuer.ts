import type { FastifyReply, FastifyRequest } from "fastify";
import type { RealmCache } from "../../platform/cache/index.ts";
import type { LiveSession } from "../../signin/sessions/index.ts";
import type { RealmParts } from "./parts.ts";

/** A realm's issuer, as it is configured at this moment. */
export interface Issuer {
  readonly parts: RealmParts;
  readonly engine: Engine;
}

export type Issuers = RealmCache<Issuer>;

/** An authorization request that waits for the user: to sign in, to choose an account, to consent. */
export interface Interaction {
  readonly uid: string;
  /** When the request came, in seconds. */
  readonly iat: number;
  readonly prompt: {
    readonly name: string;
    readonly reasons: readonly string[];
    readonly details: Readonly<Record<string, unknown>>;
  };
  /** Of the request. */
  readonly params: Readonly<Record<string, unknown>>;
}

/** What the user did, by the prompt that asked for it; or the error that the client gets. */
export type InteractionAnswer = Readonly<Record<string, unknown>>;

export interface Answered {
  readonly interaction: Interaction;
  readonly session: LiveSession | null;
  readonly answer: InteractionAnswer;
}

/** What the rooms of this folder see of the engine: authorization requests, PAR, and the requests of devices and CIBA clients. */
export interface Engine {
  /** Hands a request over, under the path that the engine knows. It writes the response itself, beside the headers set so far. */
  handle(request: FastifyRequest, reply: FastifyReply, path: string, search?: string): Promise<void>;
  findInteraction(uid: string): Promise<Interaction | undefined>;
  /** Stores the answer, for when the browser comes back to the authorization endpoint. */
  answer(answered: Answered): Promise<void>;
  /** Continues an authorization request; with an answer that need not be stored for it, where there is one. */
  resume(request: FastifyRequest, reply: FastifyReply, uid: string, answered?: Answered): Promise<void>;
}
