import { type AppError, invalidFields } from "../../kernel/errors.ts";

const refused = (code: string, message: string, field: string): AppError => invalidFields([{ field, code, message }], code);

/** The user's next step is the same in both cases, so both messages begin with it. */
export const passwordErrors = {
  history: (count: number, field = "newPassword") =>
    refused(
      "password.history",
      count === 1
        ? "Please choose another password: this is the present one"
        : `Please choose another password: this is one of the last ${count} that were used here`,
      field,
    ),
  breached: (field = "newPassword") =>
    refused(
      "password.breached",
      "Please choose another password: this one is known from data that leaked elsewhere, so it is among the first that are guessed",
      field,
    ),
  /** The present password is wrong, when a user changes it. */
  wrong: () =>
    invalidFields([{ field: "currentPassword", code: "wrong", message: "currentPassword is not your present password" }], "password.wrong"),
  /** Says in our words why the directory refused a password. */
  directory: (reason: DirectoryRefusal, field = "newPassword") => refused(`password.directory_${reason}`, DIRECTORY[reason], field),
};

export type DirectoryRefusal = "policy" | "history" | "too_young" | "denied";

const DIRECTORY: Readonly<Record<DirectoryRefusal, string>> = {
  policy: "Please choose another password: the directory does not accept this one. It may be too short, too simple, or used before",
  history: "Please choose another password: the directory remembers this one as used before",
  too_young: "The password was changed a short while ago, and the directory does not accept another change yet: try again later",
  denied: "The directory does not let this password be changed from here: ask its administrator",
};
