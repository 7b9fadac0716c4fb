// The pages behind the link of an invitation: accept it, or create the account that it is for. Owns no tables.
// What an invitation is, and that it works once, is directory/organizations'.
export { invitationPageRoutes } from "./routes.ts";
