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
    /** Tells whether a limit of the route has counted the request for its address already. */
    isCounted: boolean;
  }
}

export const loginPath = (realm: string, interactionId?: string): string =>
  `/realms/${realm}/login${interactionId === undefined ? "" : `?interaction=${encodeURIComponent(interactionId)}`}`;

/** Returns the path of the account console. People who came for no other page go there. */
export const accountPath = (realm: string, path = ""): string => `/realms/${realm}/account/${path}`;

/** Returns the path for people who came only to sign in: the start page for the server's administrators, their account for others. */
export const homePath = (realm: string): string => (realm === MASTER ? "/" : accountPath(realm));

export const seeOther = (reply: FastifyReply, to: string) => reply.header("cache-control", "no-store").redirect(to, 303) as never;

export interface SignInStart {
  /** The kind of interaction. The default is `login`. */
  readonly kind?: string;
  readonly request: SignInRequest;
  /** The progress to begin with, if a part is done already. */
  readonly state?: Progress;
  readonly returnTo: string;
}

export interface BeginParts {
  readonly work: UnitOfWork;
  readonly limiter: RateLimiter;
}

/** Begins a sign-in in the visitor's browser. Returns the id of the interaction. */
async function beginSignIn({ work, limiter }: BeginParts, request: FastifyRequest, input: SignInStart): Promise<string> {
  const { visitor, ip, id, isCounted } = request;
  const realm = visitor.realm.realmId;
  const { kind = "login", request: asked, state, returnTo } = input;
  if (!visitor.session && !isCounted) await assertMayBegin({ limiter, realm: visitor.realm }, ip);
  return work.transact({ realm, actor: anonymousActor(realm, ""), ...requestSource({ ip, id }) }, (ctx) =>
    startInteraction(ctx, { kind, browser: visitor.preSession, request: { ...asked }, ...(state && { state: { ...state } }), returnTo }),
  );
}

/** Sends the browser to a new sign-in, which leads back to `returnTo`. */
export const toSignIn = async (parts: BeginParts, request: FastifyRequest, reply: FastifyReply, input: SignInStart) =>
  seeOther(reply, loginPath(request.visitor.realm.realmId, await beginSignIn(parts, request, input)));

/** Returns the path of the page that has the form, without the action of the form. */
export const pagePath = ({ url }: Pick<FastifyRequest, "url">): string =>
  url.split("?", 1)[0]!.replace(/\/(approve|deny|confirm|sign|decline)$/, "");
