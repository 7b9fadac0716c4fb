import type { FastifyReply, FastifyRequest } from "fastify";
import { clock } from "../../kernel/clock.ts";
import type { Db } from "../../platform/db/index.ts";
import type { UnitOfWork } from "../../platform/unit-of-work.ts";
import type { Progress, SignInRequest } from "../authenticators/index.ts";
import { readInteraction, startInteraction } from "../interactions/index.ts";
import { returnTarget, type Visitor } from "../login/index.ts";
import { stranger } from "../passwords/index.ts";

export const loginPath = (realm: string, interactionId?: string): string =>
  `/realms/${realm}/login${interactionId === undefined ? "" : `?interaction=${interactionId}`}`;

export const seeOther = (reply: FastifyReply, to: string) => reply.header("cache-control", "no-store").redirect(to, 303) as never;

interface AskedFor {
  readonly interaction?: string | undefined;
  readonly return_to?: string | undefined;
}

/** Where somebody goes on afterwards. */
export interface WayBack {
  readonly returnTo: string;
  /** For the pages on the way: a browser lets their forms lead to these origins only. */
  readonly formActionOrigins?: readonly string[];
}

/** Whoever left a sign-in to do something else first goes on in it, where it is this browser's. */
export async function wayBack(
  { db, baseUrl }: { readonly db: Db; readonly baseUrl: string },
  { realm, preSessions }: Visitor,
  { interaction, return_to }: AskedFor,
): Promise<WayBack> {
  if (interaction !== undefined) {
    const { request } = await readInteraction({ tx: db, realm: realm.realmId, now: clock.now() }, interaction, preSessions);
    return { returnTo: loginPath(realm.realmId, interaction), ...originsOf(request) };
  }
  return { returnTo: return_to === undefined ? loginPath(realm.realmId) : returnTarget(return_to, baseUrl) };
}

/** Of a request that was kept. */
export const originsOf = ({ formActionOrigins }: SignInRequest): Pick<WayBack, "formActionOrigins"> =>
  formActionOrigins === undefined ? {} : { formActionOrigins };

/** A sign-in that begins here; `state` where something of it is done already. */
export function beginSignIn(
  work: UnitOfWork,
  request: FastifyRequest,
  { realm, preSession }: Visitor,
  input: { readonly request: SignInRequest; readonly state?: Progress; readonly returnTo: string },
): Promise<string> {
  const origin = { realm: realm.realmId, actor: stranger(realm.realmId, ""), sourceIp: request.ip };
  return work.transact(origin, (ctx) =>
    startInteraction(ctx, {
      kind: "login",
      browser: preSession,
      request: { ...input.request },
      ...(input.state && { state: { ...input.state } }),
      returnTo: input.returnTo,
    }),
  );
}
