// Flows that begin away from the browser. Each adds its part of the engine's features here.
import type { Configuration } from "oidc-provider";
import { deviceFeature } from "../../../decoupled/user-code.ts";
import type { RealmParts } from "../../parts.ts";
import { cibaFeature } from "./ciba.ts";

export const awayFlows = (parts: RealmParts): Pick<NonNullable<Configuration["features"]>, "deviceFlow" | "ciba"> => ({
  deviceFlow: deviceFeature(),
  ciba: cibaFeature(parts),
});
