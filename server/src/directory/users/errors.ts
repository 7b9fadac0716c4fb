import { AppError, defineErrors } from "../../kernel/errors.ts";

export const userErrors = {
  ...defineErrors("users", {
    not_found: [404, "No such user in this realm"],
    login_name_taken: [409, "Another user in this realm already signs in by that name or email address"],
    not_own_address: [400, "A username in the form of a mail address has to be your own address, and confirmed: choose another one"],
    self: [409, "You cannot delete, disable or lock yourself: ask another administrator"],
  }),
  /** Members that a directory says of its users: the next sign-in or sync would undo the change. */
  from_directory: (source: string, fields: readonly string[]) => {
    const errors = fields.map((field) => ({ field, code: "read_only", message: `${field} is kept in the directory: change it there` }));
    return new AppError("users.from_directory", 409, `This user comes from ${source}: change ${fields.join(", ")} there`, { errors });
  },
};
