import { type AppError, invalidFields } from "../../kernel/errors.ts";

const refused = (code: string, message: string, field: string): AppError => invalidFields([{ field, code, message }], code);

/** What a person does next is the same in both cases, so the messages say that first. */
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
};
