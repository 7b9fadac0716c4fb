import type { ReadCtx } from "../../platform/context.ts";
import { listKeys } from "../../tenancy/keys/index.ts";
import type { RealmSnapshots } from "../../tenancy/realms/index.ts";
import { worst } from "./health.ts";
import type { RealmHealth, Status } from "./schema.ts";

interface Log {
  warn(fields: object, message: string): void;
}

/** Checks what a realm needs to serve: its rows, a key to sign with, and a configuration that this node can read. */
export async function readRealmHealth(ctx: ReadCtx, realms: RealmSnapshots, log: Log): Promise<RealmHealth> {
  const attempt = <T>(component: string, work: Promise<T>): Promise<T | null> =>
    work.catch((err) => {
      log.warn({ err, component, realm: ctx.realm }, "health: a component of the realm is down");
      return null;
    });
  const [keys, snapshot] = await Promise.all([attempt("db", listKeys(ctx.tx, ctx.realm)), attempt("snapshot", realms.get(ctx.realm))]);
  const active = keys?.some(({ status }) => status === "ACTIVE") ?? false;
  const components = { db: shown(keys !== null), signingKey: shown(active), snapshot: shown(snapshot !== null) };
  return { status: worst(Object.values(components)), components };
}

const shown = (up: boolean): { status: Status } => ({ status: up ? "UP" : "DOWN" });
