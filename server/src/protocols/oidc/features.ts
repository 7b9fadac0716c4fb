// Flows that begin away from the browser. Each adds its part of the engine's features here.
import type { Configuration } from "oidc-provider";
import { cibaFeature } from "./grants/ciba.ts";
import { deviceFeature } from "./grants/device.ts";
import type { RealmParts } from "./parts.ts";

export const awayFlows = (parts: RealmParts): Pick<NonNullable<Configuration["features"]>, "deviceFlow" | "ciba"> => ({
  deviceFlow: deviceFeature(),
  ciba: cibaFeature(parts),
});
