// The pages behind the link of an invitation: accept it, or create the account that it is for. Owns no tables.
// Invitations themselves, and that each works once, belong to directory/organizations.
export { invitationPageRoutes } from "./routes.ts";
