import Type, { type Static } from "typebox";
import { oneOf } from "../../platform/http/index.ts";
import { Instant } from "../../platform/paging/index.ts";
import { Window } from "./schema.ts";

export const steps = ["1h", "3h", "6h", "1d"] as const;

export const SeriesQuery = Type.Object(
  {
    from: Instant("The beginning of the period, by default a day before `to`"),
    to: Instant("The end of the period, exclusive, by default now"),
    step: Type.Optional(oneOf(steps, { description: "The period of one point. Default: an hour" })),
  },
  { additionalProperties: false },
);
export type SeriesQuery = Static<typeof SeriesQuery>;

const at = (description: string) => Type.String({ format: "date-time", description });

export const MetricsSeries = Type.Object(
  {
    from: at("The beginning of the first point"),
    to: at("The end of the last point"),
    step: oneOf(steps),
    keptFrom: at("The time from which figures exist, because they are kept for eight days. All earlier points are 0"),
    points: Type.Array(Type.Object({ at: at("The beginning of the point, in UTC"), ...Window.properties }, { $id: "MetricsPoint" }), {
      description: "The points, oldest first, without gaps",
    }),
  },
  { $id: "MetricsSeries", description: "The activity of the realm on all nodes. The figures may be a few seconds old" },
);
export type MetricsSeries = Static<typeof MetricsSeries>;
