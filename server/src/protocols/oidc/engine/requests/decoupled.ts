import type { Configuration } from "oidc-provider";
import type { RealmParts } from "../../parts.ts";
import { cibaFeature } from "./ciba.ts";

type Features = NonNullable<Configuration["features"]>;

/** RFC 8628. The pages are in protocols/decoupled: the engine's own need its session. */
const deviceFeature = (): NonNullable<Features["deviceFlow"]> => ({
  enabled: true,
  charset: "base-20",
  mask: "****-****",
  // Device details are not shown, so they are not stored; nor are the hints.
  deviceInfo: (ctx) => {
    Object.assign(ctx.oidc.params as object, { id_token_hint: undefined, login_hint: undefined });
    return {};
  },
});

/** The device flow and CIBA: the engine accepts the requests, and users decide on pages of protocols/decoupled. */
export const decoupledFlows = (parts: RealmParts): Pick<Features, "deviceFlow" | "ciba"> => ({
  deviceFlow: deviceFeature(),
  ciba: cibaFeature(parts),
});
