/** The groups of the description, in the order in which they are shown. A route with another tag fails the tests. */
export const tags: readonly { readonly name: string; readonly description: string }[] = [
  {
    name: "Realms",
    description:
      "Isolated tenants, each with its own users, roles, keys, settings and audit trail. Holders of `realm-admin` in `master` only.",
  },
  { name: "Users", description: "The users of a realm, their passwords and their roles." },
  { name: "Groups", description: "A tree of groups, their members, and the roles that they grant to every member." },
  { name: "Roles", description: "Realm roles, what they include, and the one that every new user gets." },
  { name: "Admin roles", description: "The admin permissions of a role. Changes count on the holder's next request." },
  { name: "Organizations", description: "Companies and teams inside a realm: their domains, their members, and invitations by mail." },
  {
    name: "Clients",
    description: "OAuth and OpenID Connect clients: their secrets, roles, mappers and service accounts.",
  },
  {
    name: "Authorization services",
    description: "Protected resources of a client: resources, scopes, the policies that decide, and the reasons of a decision.",
  },
  {
    name: "AuthZEN",
    description:
      "Decisions for applications and gateways, by AuthZEN 1.0. The caller is a client with authorization services, in its own name.",
  },
  {
    name: "SAML clients",
    description: "SAML 2.0 service providers: their addresses, certificates and mappers; import from metadata.",
  },
  { name: "Applications", description: "An application as one thing: its client, made by a template for its kind." },
  {
    name: "Workload identity",
    description: "Tokens of other issuers (Kubernetes, GitHub, clouds) that stand for a client: no secret has to be kept or rotated.",
  },
  {
    name: "Agents",
    description:
      "Non-human identities: who answers for a client that acts by itself or for users, whether it may, and when it is reviewed.",
  },
  { name: "Client scopes", description: "The scopes that clients may request, and the claims of each." },
  { name: "Claims", description: "The claims of tokens, userinfo and introspection about a user, and the value of `sub`." },
  {
    name: "Flows",
    description: "Authentication flows: trees of authenticators, of the realm or of one client. A flow that no user could pass is refused.",
  },
  {
    name: "Identity providers",
    description: "OpenID Connect, SAML and social providers and directories, their mappers and linked accounts.",
  },
  { name: "Provisioning", description: "Clients that register themselves: who may, and what; initial access tokens; SCIM tokens." },
  {
    name: "Export and import",
    description: "A realm's configuration as one document: for backups, for moving it elsewhere, and for configuration as code.",
  },
  { name: "Settings", description: "Branding, session, password and brute-force policies of a realm." },
  {
    name: "Keys",
    description: "A realm's signing keys. The previous key stays published after a rotation, so that what it signed still verifies.",
  },
  { name: "Sessions", description: "The sessions of a realm." },
  { name: "Events", description: "The audit trail: append-only, written in the same transaction as the change it records." },
  { name: "Messaging", description: "Mail, text messages and push: providers, templates and device tokens." },
  {
    name: "Webhooks",
    description: "Events of a realm, sent to others as they happen: signed, repeated until they are accepted, and listed.",
  },
  {
    name: "SCIM targets",
    description: "Services elsewhere that get the users and groups of a realm (RFC 7644): what is sent, its state, and what was refused.",
  },
  { name: "Sign-in", description: "The pages for signing in and out. They are HTML and work without scripts." },
  {
    name: "Account",
    description:
      "Self-service of users, with their own session or access token: profile, password, credentials, sessions, applications, and " +
      "their data.",
  },
  {
    name: "Account pages",
    description: "The account console: the same for people, at `/realms/{realm}/account/`. Pages are HTML and work without scripts.",
  },
  {
    name: "Devices",
    description: "Phones that users enroll with a key, sign-ins that they approve (push), and screens that they sign in (QR).",
  },
  { name: "Transactions", description: "A transaction is signed by a user for an application, once, with a fresh second factor." },
  {
    name: "SCIM",
    description: "Users and groups for provisioning clients such as Microsoft Entra and Okta (RFC 7643, RFC 7644), by a SCIM token.",
  },
  { name: "Protocol", description: "The endpoints that relying parties read and call." },
  { name: "Monitoring", description: "Health, readiness and metrics." },
  { name: "Description", description: "This description, as JSON and as a page." },
];
