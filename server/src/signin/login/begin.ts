import type { FastifyReply, FastifyRequest } from "fastify";
import { anonymousActor } from "../../platform/context.ts";
import { requestSource, type UnitOfWork } from "../../platform/unit-of-work.ts";
import { MASTER } from "../../tenancy/realms/index.ts";
import type { Progress, SignInRequest } from "../authenticators/index.ts";
import { startInteraction } from "../run/index.ts";

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

/** A sign-in that begins here, in the visitor's browser. Answers its id. */
export function beginSignIn(work: UnitOfWork, { visitor, ip, id }: FastifyRequest, input: SignInStart): Promise<string> {
  const realm = visitor.realm.realmId;
  const { kind = "login", request, state, returnTo } = input;
  return work.transact({ realm, actor: anonymousActor(realm, ""), ...requestSource({ ip, id }) }, (ctx) =>
    startInteraction(ctx, { kind, browser: visitor.preSession, request: { ...request }, ...(state && { state: { ...state } }), returnTo }),
  );
}

/** Signs in, or in again, and comes back. */
export const toSignIn = async (work: UnitOfWork, request: FastifyRequest, reply: FastifyReply, input: SignInStart) =>
  seeOther(reply, loginPath(request.visitor.realm.realmId, await beginSignIn(work, request, input)));

/** The page of a form, without what the form does. */
export const pagePath = ({ url }: Pick<FastifyRequest, "url">): string =>
  url.split("?", 1)[0]!.replace(/\/(approve|deny|confirm|sign|decline)$/, "");
