import { AppError, defineErrors } from "../../kernel/errors.ts";
import { listed } from "../../kernel/lists.ts";

export const groupErrors = defineErrors("groups", {
  not_found: [404, "No such group in this realm"],
  not_member: [404, "That user is not a member of this group"],
  not_granted: [404, "This group does not grant that role itself"],
  name_taken: [409, "Another group beside it has this name"],
  cycle: [409, "A group cannot be moved below itself"],
  too_deep: [409, "Groups can be nested at most 50 deep"],
});

/** Refuses to delete a group that these name: they would mean nobody, or, if negated, everybody. */
export const groupInUse = (who: "Flows" | "Identity providers", names: readonly string[]) =>
  new AppError("groups.in_use", 409, `${who} name this group or one below it: ${listed(names)}. Change them first`);
