import { type Preset, standard } from "../preset.ts";

/** Microsoft Entra. It takes changes by PATCH only, with at most 20 members each, like its Graph API. */
export const entra: Preset = {
  ...standard,
  update: "patch",
  emailFilter: 'emails[type eq "work"].value',
  membersPerPatch: 20,
  listsMembers: false,
};
