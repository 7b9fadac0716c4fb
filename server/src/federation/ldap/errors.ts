import { AppError, defineErrors } from "../../kernel/errors.ts";
import type { Report } from "./runs.store.ts";

export const directoryErrors = {
  ...defineErrors("user_federation", {
    not_found: [404, "No such directory in this realm"],
    disabled: [409, "This directory is disabled: enable it first"],
    running: [409, "A sync of this directory is running: wait until it has ended"],
    taken_over: [409, "This sync seemed dead, so another sync replaced it"],
    not_a_source: [400, "source is `local`, or `ldap:<alias>` or `ad:<alias>` of an enabled directory of this realm"],
    same_source: [409, "The account already comes from this source"],
    entry_not_found: [409, "The directory has no entry with that name: send another name in `entry`"],
    entry_ambiguous: [409, "The directory has more than one entry with that name: restrict its userSearchFilter"],
    filter_finds_one: [
      409,
      "config.userSearchFilter finds one person by name, but not all people: write {0} where any value can stand, such as (uid={0})",
    ],
  }),
  entry_unusable: (message: string) => new AppError("user_federation.entry_unusable", 409, `The entry cannot be a user: ${message}`),
  failed: ({ message, synced }: Report) =>
    new AppError(
      "user_federation.failed",
      502,
      `${message ?? "The directory could not be read."} ${synced === 0 ? "Nothing was changed" : `${synced} entries were dealt with`}, and no user was disabled for being gone.`,
    ),
};
