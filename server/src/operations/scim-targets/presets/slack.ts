import { type Preset, standard } from "../preset.ts";

/** Slack. It finds accounts by name and address, not by our id, and allows few requests per minute. */
export const slack: Preset = {
  ...standard,
  update: "patch",
  lookups: ["userName", "email"],
  emailFilter: "email",
  requiresNames: true,
  requestsPerSecond: 3,
  atOnce: 1,
};
