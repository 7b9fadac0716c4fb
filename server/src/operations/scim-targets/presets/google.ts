import { type Preset, standard } from "../preset.ts";

/** Google Cloud. It has no pages, sorting, bulk or versions, and groups do not list their members. */
export const google: Preset = {
  ...standard,
  lookups: ["externalId", "userName"],
  listsMembers: false,
  requiresNames: true,
  requestsPerSecond: 10,
  atOnce: 2,
};
