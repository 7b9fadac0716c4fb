import { defineErrors, invalidFields, tooMany } from "../../kernel/errors.ts";

export const transactionErrors = {
  ...defineErrors("transactions", {
    not_found: [404, "There is no such transaction, or it is not for you"],
    not_pending: [409, "This transaction was already signed or declined, or has expired: create a new one"],
    not_signed: [409, "This transaction is not signed, was consumed already, or has expired"],
    too_many: [409, "Too many transactions wait for this user: let some of them be signed or expire first"],
    wrong_factor: [403, "The second factor is wrong: try again with the current code, or sign on your device again"],
    declined: [403, "Too many wrong attempts: the transaction was declined. Create a new one"],
    acr: [403, "Your sign-in is too weak for this transaction: sign in with your password, or at your identity provider, first"],
    impersonated: [403, "An administrator is impersonating this user: only the user can sign or decline"],
    only_users: [403, "The token acts for an application: only the user can sign or decline"],
    no_session: [403, "The token has no session: sign in to the application, then sign"],
    only_creator: [403, "Only the application that created this transaction can consume it"],
    own_token: [403, "This application can get its own token (client_credentials): consume with that, not with a user's token"],
  }),
  wait: (seconds: number) => tooMany("transactions.wait", "Too many attempts", seconds),
  field: (field: string, code: string, message: string) => invalidFields([{ field, code, message: `${field}: ${message}` }]),
};
