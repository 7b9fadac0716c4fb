import { type Preset, standard } from "../preset.ts";

/** GitHub Enterprise with managed users. It counts requests over time, and slows down callers that send many at once. */
export const github: Preset = {
  ...standard,
  lookups: ["externalId", "userName"],
  removeMembers: "values",
  requiresNames: true,
  without: ["nickName", "profileUrl", "title", "userType", "preferredLanguage", "locale", "timezone", "phoneNumbers"],
  requestsPerSecond: 5,
  atOnce: 1,
};
