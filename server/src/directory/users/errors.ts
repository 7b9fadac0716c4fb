import { AppError, defineErrors } from "../../kernel/errors.ts";

export const userErrors = {
  ...defineErrors("users", {
    not_found: [404, "No such user in this realm"],
    login_name_taken: [409, "Another user in this realm already signs in by that name or email address"],
    not_own_address: [400, "A username in the form of a mail address must be your own confirmed address: choose another one"],
    last_way_in: [409, "You sign in with this: set a password, or add a passkey, before you remove it"],
    self: [409, "You cannot delete, disable or lock yourself: ask another administrator"],
  }),
  /** Has the code of a taken name, like any other name that is not available. */
  reserved: () =>
    new AppError("users.login_name_taken", 409, "This username is kept for the server: the audit trail has it for another kind of actor"),
  /** A directory supplies these members: the next sign-in or sync would undo the change. */
  from_directory: (source: string, fields: readonly string[]) =>
    new AppError("users.from_directory", 409, `This user comes from the directory ${source}: change ${fields.join(", ")} there`),
  supplied: (fields: readonly string[]) =>
    new AppError(
      "users.supplied_by_provider",
      409,
      `The identity provider of this account supplied ${fields.join(", ")}: it cannot be changed here`,
    ),
  /** The role or group comes from a mapper of a directory. */
  given_by_directory: (source: string, kind: "role" | "group") =>
    new AppError(
      "users.given_by_directory",
      409,
      `A mapper of the directory ${source} gives the user this ${kind}: change the user's entry there, or the mapper`,
    ),
};
