import type { Configuration } from "oidc-provider";

/** RFC 8628 §6.1: no vowels, so no words; people tell these letters apart. */
const CODE = /^[BCDFGHJKLMNPQRSTVWXZ]{8}$/;

/** RFC 8628. The pages are ours (device.routes.ts): the engine's would keep their state in a session that it does not have here. */
export const deviceFeature = (): NonNullable<NonNullable<Configuration["features"]>["deviceFlow"]> => ({
  enabled: true,
  charset: "base-20",
  mask: "****-****",
  // Nothing about the device is shown, so nothing is kept; nor is who the client thinks will come.
  deviceInfo: (ctx) => {
    Object.assign(ctx.oidc.params as object, { id_token_hint: undefined, login_hint: undefined });
    return {};
  },
});

/** A code as it was typed: dashes, spaces and small letters do not matter. Null: it cannot be one. */
export function normaliseUserCode(typed: string): string | null {
  const code = typed.toUpperCase().replace(/[^A-Z0-9]/g, "");
  return CODE.test(code) ? code : null;
}

/** As the device shows it. */
export const spellUserCode = (code: string): string => `${code.slice(0, 4)}-${code.slice(4)}`;
