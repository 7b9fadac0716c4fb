// Organizations: companies and teams inside a realm, their domains, members and invitations. Owns the `organization…` tables.
// Membership gives no permission. The pages behind an invitation's link are in signin/invitations.
export { domainOfAddress, normalDomain } from "./domains.ts";
export { organizationErrors } from "./errors.ts";
export { forgetInvitationsTo, inviteeOf, joinByInvitation, presentInvitation, takeInvitation } from "./invitations.service.ts";
export { deleteExpiredInvitations, type PresentedInvitation } from "./invitations.store.ts";
export { joinByProvider, removeMember, setMember } from "./members.service.ts";
export { holdManaged, insertOrganizationMembers, type Membership, membershipsOf, organizationsByAlias } from "./members.store.ts";
export { userOrganizationRoutes } from "./of-user.routes.ts";
export { searchOrganizationsOfUser } from "./of-user.service.ts";
export { acceptOwnInvitation, readOwnInvitations } from "./own.service.ts";
export { forgetProvider, providerOfDomain, verifiedAmong, verifierOf } from "./providers.store.ts";
export { organizationRoutes } from "./routes.ts";
export { CreateOrganization } from "./schema.ts";
export { createOrganization, removeOrganization, saveOrganization, searchOrganizations } from "./service.ts";
export { aliasesOfOrganizations, shareOrganization } from "./store.ts";
export { recheckDomains } from "./verification.ts";
