import { statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { SECOND } from "../../kernel/clock.ts";
import type { Db } from "../../platform/db/index.ts";
import { cached } from "./cached.ts";
import { checkCertificate } from "./certificate.ts";
import { ping } from "./ping.store.ts";
import type { HealthResponse, LivenessResponse, ReadinessResponse, Status } from "./schema.ts";

export interface Health {
  /** Returns every component; DOWN if any of them is. */
  overall(): Promise<HealthResponse>;
  /** Tells whether the process should be left running. It checks nothing else, because a restart would not bring a database back. */
  liveness(): LivenessResponse;
  /** Tells whether to send requests here. */
  readiness(): Promise<ReadinessResponse>;
}

export interface HealthParts {
  readonly db: Db;
  readonly dataDir: string;
  readonly baseUrl: string;
  /** Tells whether Redis answers; null if none is configured. */
  readonly redis: (() => Promise<boolean>) | null;
  /** Throws if the corpus of breached passwords is unavailable; null if none is configured. */
  readonly breachCorpus: (() => Promise<void>) | null;
  /** Tells whether the server is shutting down. */
  readonly draining: () => boolean;
  readonly log: { info(fields: object, message: string): void; warn(fields: object, message: string): void };
}

const TIMEOUT = 2 * SECOND;
const MIB = 1024 * 1024;
/** The threshold of `gatehouse doctor`. */
const MIN_FREE = 100 * MIB;

export function createHealth({ db, dataDir, baseUrl, redis, breachCorpus, draining, log }: HealthParts): Health {
  /** Returns the check of a component. Callers learn up or down; the reason is logged once per change. */
  const component = (name: string, keepMs: number, check: () => Promise<void>): (() => Promise<Status>) => {
    const look = cached(keepMs, TIMEOUT, check);
    let known: Status = "UP";
    const became = (status: Status, err?: unknown): Status => {
      if (status === known) return status;
      known = status;
      if (status === "UP") log.info({ component: name }, "health: the component is up again");
      else log.warn({ component: name, err }, "health: the component is down");
      return status;
    };
    return () =>
      look().then(
        () => became("UP"),
        (err) => became("DOWN", err),
      );
  };

  const database = component("db", SECOND, () => ping(db));
  const diskSpace = component("diskSpace", 10 * SECOND, () => checkDiskSpace(dataDir));
  const ssl = component("ssl", 60 * SECOND, () => checkCertificate(baseUrl));
  const cache =
    redis &&
    component("redis", SECOND, async () => {
      // The rate limiter logs what went wrong itself, without the address and the password in it.
      if (!(await redis())) throw new Error("Redis does not answer");
    });
  // This may be an external service, so it is checked once a minute. Passwords can be changed without it, so the server stays ready.
  const corpus = breachCorpus && component("breachCorpus", 60 * SECOND, breachCorpus);
  const readinessState = async (): Promise<Status> => (draining() ? "DOWN" : database());

  return {
    async overall() {
      const [db, disk, ready, tls, shared, breaches] = await Promise.all([
        database(),
        diskSpace(),
        readinessState(),
        ssl(),
        cache?.(),
        corpus?.(),
      ]);
      const components = {
        ...(breaches && { breachCorpus: { status: breaches } }),
        db: { status: db },
        diskSpace: { status: disk },
        livenessState: { status: "UP" as const },
        ping: { status: "UP" as const },
        readinessState: { status: ready },
        ...(shared && { redis: { status: shared } }),
        ssl: { status: tls },
      };
      return { status: worst(Object.values(components)), groups: ["liveness", "readiness"], components };
    },
    liveness: () => ({ status: "UP", components: { livenessState: { status: "UP" } } }),
    async readiness() {
      const [db, ready] = await Promise.all([database(), readinessState()]);
      return { status: ready, components: { db: { status: db }, readinessState: { status: ready } } };
    },
  };
}

export const worst = (components: readonly { readonly status: Status }[]): Status =>
  components.some(({ status }) => status === "DOWN") ? "DOWN" : "UP";

/** Throws if the disk has too little space for the embedded database, or for anything else with Postgres. A missing folder counts as its parent. */
export async function checkDiskSpace(folder: string, minFree = MIN_FREE): Promise<void> {
  const { bavail, bsize } = await statfs(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" && dirname(folder) !== folder) return { bavail: null, bsize: 0 };
    throw error;
  });
  if (bavail === null) return checkDiskSpace(dirname(folder), minFree);
  const free = bavail * bsize;
  if (free < minFree)
    throw new Error(`${Math.floor(free / MIB)} MiB free where the data folder is, fewer than ${Math.ceil(minFree / MIB)}`);
}
