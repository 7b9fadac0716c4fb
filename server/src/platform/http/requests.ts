import type { FastifyRequest } from "fastify";
import fp from "fastify-plugin";
import { clock } from "../../kernel/clock.ts";
import type { Actor, Ctx, ReadCtx } from "../context.ts";
import type { Db } from "../db/index.ts";
import type { UnitOfWork } from "../unit-of-work.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Who is asking, once the gate has let the request in. */
    actor: Actor | null;
    /** The realm that the work is in: the one of the path, or `master` for what reaches over all. */
    realmId: string;
    /** Writes: one transaction with its audit events. */
    transact<T>(work: (ctx: Ctx) => Promise<T>): Promise<T>;
    /** Reads: each statement on its own. */
    read<T>(work: (ctx: ReadCtx) => Promise<T>): Promise<T>;
  }
}

/** Gives every request its unit of work. */
export const unitOfWorkPlugin = fp<{ db: Db; work: UnitOfWork }>(async (app, { db, work: unit }) => {
  app.decorateRequest("actor", null);
  app.decorateRequest("realmId", "");
  app.decorateRequest("transact", function <T>(this: FastifyRequest, work: (ctx: Ctx) => Promise<T>) {
    const ifMatch = this.headers["if-match"] ?? null;
    return unit.transact({ ...origin(this), ifMatch }, work);
  });
  app.decorateRequest("read", function <T>(this: FastifyRequest, work: (ctx: ReadCtx) => Promise<T>) {
    const { realm, actor } = origin(this);
    return work({ tx: db, realm, actor, now: clock.now() });
  });
});

function origin(request: FastifyRequest) {
  if (!request.actor) throw new Error("A unit of work needs an actor: the route is not behind the gate");
  return { realm: request.realmId, actor: request.actor, sourceIp: request.ip };
}
