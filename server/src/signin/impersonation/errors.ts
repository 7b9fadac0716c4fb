import { defineErrors } from "../../kernel/errors.ts";

export const impersonationErrors = defineErrors("impersonation", {
  self: [409, "You are this user already: choose another user"],
  shut_out: [409, "This user is disabled or locked, and cannot be signed in: enable or unlock the user first"],
  no_session: [409, "Acting as a user starts from your own session in a browser: sign in to the admin pages and ask again"],
  gone: [410, "This link has been used already, or has expired: ask for another one"],
  over: [403, "The session from which this link was asked for is over, or no longer allows it: sign in and ask again"],
});
