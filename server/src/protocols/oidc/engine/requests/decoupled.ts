import type { Configuration } from "oidc-provider";
import type { RealmParts } from "../../parts.ts";
import { cibaFeature } from "./ciba.ts";

type Features = NonNullable<Configuration["features"]>;

/** RFC 8628. The pages are ours (protocols/decoupled): the engine's would keep their state in a session that it does not have here. */
const deviceFeature = (): NonNullable<Features["deviceFlow"]> => ({
  enabled: true,
  charset: "base-20",
  mask: "****-****",
  // Nothing about the device is shown, so nothing is kept; nor is who the client thinks will come.
  deviceInfo: (ctx) => {
    Object.assign(ctx.oidc.params as object, { id_token_hint: undefined, login_hint: undefined });
    return {};
  },
});

/** The device flow and CIBA: requests that the engine takes, and that users answer on pages of protocols/decoupled. */
export const decoupledFlows = (parts: RealmParts): Pick<Features, "deviceFlow" | "ciba"> => ({
  deviceFlow: deviceFeature(),
  ciba: cibaFeature(parts),
});
