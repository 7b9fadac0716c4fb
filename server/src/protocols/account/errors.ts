import { defineErrors, tooMany } from "../../kernel/errors.ts";

export const accountErrors = {
  ...defineErrors("account", {
    administrator: [403, "You administer this realm: change how you sign in from your own session, not through an application"],
    scope: [403, "The token needs the scope account: an administrator gives it to the client, which then asks for it"],
    in_person: [403, "Only you yourself can do this, in your own session: not an application in your place"],
    erase_off: [403, "People do not erase their own accounts in this realm: ask an administrator"],
    no_password: [409, "You have no password yet: ask for a reset, or sign in as you do"],
    application_not_found: [404, "This application has nothing from you"],
  }),
  wait: (seconds: number) => tooMany("account.wait", "Too many attempts", seconds),
};
