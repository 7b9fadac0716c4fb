import type { FastifyReply, FastifyRequest } from "fastify";
import type { RealmCache } from "../../platform/cache/index.ts";
import type { LiveSession } from "../../signin/sessions/index.ts";
import type { RealmParts } from "./parts.ts";

/** A realm's issuer in its current configuration. */
export interface Issuer {
  readonly parts: RealmParts;
  readonly engine: Engine;
}

export type Issuers = RealmCache<Issuer>;

/** An authorization request that waits for the user to sign in, to choose an account, or to consent. */
export interface Interaction {
  readonly uid: string;
  /** The time of the request, in seconds. */
  readonly iat: number;
  readonly prompt: {
    readonly name: string;
    readonly reasons: readonly string[];
    readonly details: Readonly<Record<string, unknown>>;
  };
  /** The parameters of the authorization request. */
  readonly params: Readonly<Record<string, unknown>>;
}

/** The user's answers by prompt, or the error for the client. */
export type InteractionAnswer = Readonly<Record<string, unknown>>;

export interface Answered {
  readonly interaction: Interaction;
  readonly session: LiveSession | null;
  readonly answer: InteractionAnswer;
}

/** The engine's interface for this folder: authorization requests, PAR, and device and CIBA requests. */
export interface Engine {
  /** Passes a request to the engine under the engine's path. The engine writes the response, with the headers set so far. */
  handle(request: FastifyRequest, reply: FastifyReply, path: string, search?: string): Promise<void>;
  findInteraction(uid: string): Promise<Interaction | undefined>;
  /** Stores the answer until the browser returns to the authorization endpoint. */
  answer(answered: Answered): Promise<void>;
  /** Resumes an authorization request, with an answer if one is passed in memory. */
  resume(request: FastifyRequest, reply: FastifyReply, uid: string, answered?: Answered): Promise<void>;
}
