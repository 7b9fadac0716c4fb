// The pages behind the link of an invitation: to accept it, or to create the account that it is for. Owns no tables.
// The invitations themselves, and that each works once, belong to directory/organizations.
export { invitationPageRoutes } from "./routes.ts";
