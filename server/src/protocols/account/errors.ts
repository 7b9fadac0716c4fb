import { defineErrors, tooMany } from "../../kernel/errors.ts";

export const accountErrors = {
  ...defineErrors("account", {
    administrator: [403, "You administer this realm: change your sign-in from your own session, not through an application"],
    scope: [403, "The token needs the scope account: an administrator adds it to the client, which then requests it"],
    in_person: [403, "Only you can do this, in your own session, not an application for you"],
    erase_off: [403, "Users cannot erase their own accounts in this realm: ask an administrator"],
    no_password: [409, "You have no password yet: request a password reset, or sign in as before"],
    application_not_found: [404, "This application has no access to your account"],
  }),
  wait: (seconds: number) => tooMany("account.wait", "Too many attempts", seconds),
};
