// Signing in and out by username and password, with the pages for it.
// Sessions are kept by signin/sessions; what asked for the sign-in is an interaction.
export { localPasswords, type PasswordSource } from "./password-sources.ts";
export { loginRoutes } from "./routes.ts";
