import { decoupledGrant } from "./decoupled.ts";

/** RFC 8628 §3.4 */
export const deviceCode = decoupledGrant({
  model: "DeviceCode",
  parameter: "device_code",
  gty: "device_code",
});
