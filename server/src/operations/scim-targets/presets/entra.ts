import { type Preset, standard } from "../preset.ts";

/** Microsoft Entra. Changes by PATCH only, and 20 members in each, as its Graph API has it. */
export const entra: Preset = {
  ...standard,
  update: "patch",
  emailFilter: 'emails[type eq "work"].value',
  membersPerPatch: 20,
  listsMembers: false,
};
