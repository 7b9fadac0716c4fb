import { defineErrors } from "../../kernel/errors.ts";

export const impersonationErrors = defineErrors("impersonation", {
  self: [409, "You are already this user: choose another user"],
  shut_out: [409, "This user is disabled or locked, and cannot be signed in: enable or unlock the user first"],
  no_session: [409, "Impersonation starts from your own session in a browser: sign in to the admin pages and try again"],
  gone: [410, "This link has already been used or has expired: request another one"],
  over: [403, "The session that requested this link has ended or no longer allows it: sign in and request another link"],
});
