import type { FastifyReply, FastifyRequest } from "fastify";
import { anonymousActor } from "../../platform/context.ts";
import type { RateLimiter } from "../../platform/rate-limit/index.ts";
import { requestSource, type UnitOfWork } from "../../platform/unit-of-work.ts";
import { MASTER } from "../../tenancy/realms/index.ts";
import type { Progress, SignInRequest } from "../authenticators/index.ts";
import { startInteraction } from "../run/index.ts";
import { assertMayBegin } from "./anonymous-limit.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** A limit of the route has counted it for its address. */
    isCounted: boolean;
  }
}

export const loginPath = (realm: string, interactionId?: string): string =>
  `/realms/${realm}/login${interactionId === undefined ? "" : `?interaction=${encodeURIComponent(interactionId)}`}`;

/** The account console: where people go who came for nothing else. */
export const accountPath = (realm: string, path = ""): string => `/realms/${realm}/account/${path}`;

/** For those who came for nothing but to sign in: the server's start page is for its administrators, others see their account. */
export const homePath = (realm: string): string => (realm === MASTER ? "/" : accountPath(realm));

export const seeOther = (reply: FastifyReply, to: string) => reply.header("cache-control", "no-store").redirect(to, 303) as never;

export interface SignInStart {
  /** The kind of interaction; `login`, if left out. */
  readonly kind?: string;
  readonly request: SignInRequest;
  /** The progress to begin with, where a part is done already. */
  readonly state?: Progress;
  readonly returnTo: string;
}

export interface BeginParts {
  readonly work: UnitOfWork;
  readonly limiter: RateLimiter;
}

/** A sign-in that begins here, in the visitor's browser. Answers its id. */
async function beginSignIn({ work, limiter }: BeginParts, request: FastifyRequest, input: SignInStart): Promise<string> {
  const { visitor, ip, id, isCounted } = request;
  const realm = visitor.realm.realmId;
  const { kind = "login", request: asked, state, returnTo } = input;
  if (!visitor.session && !isCounted) await assertMayBegin({ limiter, realm: visitor.realm }, ip);
  return work.transact({ realm, actor: anonymousActor(realm, ""), ...requestSource({ ip, id }) }, (ctx) =>
    startInteraction(ctx, { kind, browser: visitor.preSession, request: { ...asked }, ...(state && { state: { ...state } }), returnTo }),
  );
}

/** Signs in, or in again, and comes back. */
export const toSignIn = async (parts: BeginParts, request: FastifyRequest, reply: FastifyReply, input: SignInStart) =>
  seeOther(reply, loginPath(request.visitor.realm.realmId, await beginSignIn(parts, request, input)));

/** The page of a form, without what the form does. */
export const pagePath = ({ url }: Pick<FastifyRequest, "url">): string =>
  url.split("?", 1)[0]!.replace(/\/(approve|deny|confirm|sign|decline)$/, "");
