import type { FastifyRequest } from "fastify";
import fp from "fastify-plugin";
import { clock } from "../../kernel/clock.ts";
import type { Actor, Ctx, ReadCtx } from "../context.ts";
import type { Db } from "../db/index.ts";
import { requestSource, type UnitOfWork } from "../unit-of-work.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** True if the route may take long (an import, an erasure): it then uses the connections of background work. */
    readonly takesLong?: boolean;
  }
  interface FastifyRequest {
    /** The caller, once the gate has authenticated the request. */
    actor: Actor | null;
    /** The realm of the work: the one in the path, or `master` for work that concerns all realms. */
    realmId: string;
    /** Runs work that writes, in one transaction with its audit events. */
    transact<T>(work: (ctx: Ctx) => Promise<T>): Promise<T>;
    /** Runs work that only reads, each statement on its own. */
    read<T>(work: (ctx: ReadCtx) => Promise<T>): Promise<T>;
  }
}

interface Parts {
  readonly db: Db;
  readonly work: UnitOfWork;
  /** The database and unit of work of routes that take long. */
  readonly background: { readonly db: Db; readonly work: UnitOfWork };
}

/** Gives every request its unit of work. */
export const unitOfWorkPlugin = fp<Parts>(async (app, { background, ...usual }) => {
  const unitOf = ({ routeOptions }: FastifyRequest) => (routeOptions.config.takesLong ? background : usual);
  app.decorateRequest("actor", null);
  app.decorateRequest("realmId", "");
  app.decorateRequest("transact", function <T>(this: FastifyRequest, work: (ctx: Ctx) => Promise<T>) {
    const ifMatch = this.headers["if-match"] ?? null;
    const ifNoneMatch = (this.routeOptions.config.writesRecord && this.headers["if-none-match"]) || null;
    return unitOf(this).work.transact({ ...origin(this), ifMatch, ifNoneMatch }, work);
  });
  app.decorateRequest("read", function <T>(this: FastifyRequest, work: (ctx: ReadCtx) => Promise<T>) {
    const { realm, actor } = origin(this);
    return work({ tx: unitOf(this).db, realm, actor, now: clock.now() });
  });
});

function origin(request: FastifyRequest) {
  if (!request.actor) throw new Error("A unit of work needs an actor: the route is not behind the gate");
  return { realm: request.realmId, actor: request.actor, ...requestSource(request) };
}
