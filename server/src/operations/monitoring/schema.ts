import Type, { type Static } from "typebox";
import { nullable, oneOf, time } from "../../platform/http/index.ts";

const status = oneOf(["UP", "DOWN"]);
export type Status = "UP" | "DOWN";

const Component = Type.Object({ status }, { $id: "HealthComponent" });

export const HealthResponse = Type.Object(
  {
    status,
    groups: Type.Array(Type.String(), { description: "The groups. Each can be read on its own at `/monitoring/health/{group}`" }),
    components: Type.Object({
      breachCorpus: Type.Optional(Component),
      db: Component,
      diskSpace: Component,
      livenessState: Component,
      ping: Component,
      readinessState: Component,
      redis: Type.Optional(Component),
      ssl: Component,
    }),
  },
  { $id: "Health", description: "DOWN if any component is DOWN. The server's log has the reason" },
);
export type HealthResponse = Static<typeof HealthResponse>;

export const LivenessResponse = Type.Object({ status, components: Type.Object({ livenessState: Component }) }, { $id: "Liveness" });
export type LivenessResponse = Static<typeof LivenessResponse>;

export const ReadinessResponse = Type.Object(
  { status, components: Type.Object({ db: Component, readinessState: Component }) },
  { $id: "Readiness" },
);
export type ReadinessResponse = Static<typeof ReadinessResponse>;

export const RealmHealth = Type.Object(
  { status, components: Type.Object({ db: Component, signingKey: Component, snapshot: Component }) },
  { $id: "RealmHealth", description: "DOWN if any component is DOWN" },
);
export type RealmHealth = Static<typeof RealmHealth>;

export const ServerInfo = Type.Object(
  {
    name: Type.String(),
    version: Type.String(),
    commit: nullable(Type.String(), "The commit of the build. Null if the build does not know it"),
    nodeVersion: Type.String(),
    mode: oneOf(["development", "production"]),
    startedAt: time,
  },
  { $id: "ServerInfo" },
);
export type ServerInfo = Static<typeof ServerInfo>;

const count = Type.Integer({ minimum: 0 });

export const Window = Type.Object(
  {
    logins: Type.Object({ success: count, failure: count }),
    tokens: count,
    mfaChallenges: count,
    adminWrites: Type.Object({ success: count, denied: count }),
  },
  {
    $id: "MetricsWindow",
    description:
      "Counted by the clock hour, from the beginning of the hour in which the window starts until now. The counts may be a few seconds old",
  },
);
export type Window = Static<typeof Window>;

const figures = {
  lastHour: Window,
  lastDay: Window,
  lastWeek: Window,
  activeSessions: Type.Integer({ description: "Exact up to 10,000, otherwise an estimate" }),
  users: Type.Integer({ description: "Exact up to 10,000, otherwise an estimate" }),
  queueDepth: Type.Integer({ description: "Background jobs that are due and not finished" }),
};
const Figures = Type.Object(figures, { $id: "MetricsFigures" });
export type Figures = Static<typeof Figures>;

export const MetricsSummary = Type.Object(
  {
    generatedAt: time,
    total: Figures,
    realms: Type.Array(Type.Object({ realm: Type.String(), ...figures }, { $id: "RealmMetrics" }), {
      description: "One page of the realms, selected by `page`, `size`, `search` and `sort`",
    }),
  },
  { $id: "MetricsSummary", description: "The metrics of all nodes" },
);
export type MetricsSummary = Static<typeof MetricsSummary>;
