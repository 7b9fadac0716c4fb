import { type Preset, standard } from "../preset.ts";

/** AWS IAM Identity Center. A PATCH has at most 100 members, groups never list theirs, and names are required. */
export const aws: Preset = {
  ...standard,
  lookups: ["externalId", "userName"],
  membersPerPatch: 100,
  removeMembers: "values",
  listsMembers: false,
  requiresNames: true,
  requestsPerSecond: 10,
  atOnce: 2,
};
