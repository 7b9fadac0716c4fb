/** The groups of the description, in the order in which they are shown. A route with another tag fails the tests. */
export const tags: readonly { readonly name: string; readonly description: string }[] = [
  {
    name: "Realms",
    description:
      "Isolated tenants, each with its own users, roles, keys, settings and audit trail. Only for holders of `realm-admin` in `master`.",
  },
  { name: "Users", description: "The users of a realm, their passwords and their roles." },
  { name: "Groups", description: "A tree of groups, their members, and the roles that they grant to every member." },
  { name: "Roles", description: "Realm roles, the roles that they include, and the default role of new users." },
  { name: "Admin roles", description: "The admin permissions of a role. Changes apply to the holder's next request." },
  { name: "Organizations", description: "Companies and teams inside a realm: their domains, their members, and invitations by mail." },
  {
    name: "Clients",
    description: "OAuth and OpenID Connect clients: their secrets, roles, mappers and service accounts.",
  },
  {
    name: "Authorization services",
    description: "The protected resources of a client, their scopes, policies and permissions, and the reasons for a decision.",
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
  { name: "Applications", description: "Applications of a certain kind. A template creates the client with suitable settings." },
  {
    name: "Workload identity",
    description:
      "Tokens of other issuers (Kubernetes, GitHub, clouds) with which a client authenticates, so that no secret has to be stored or rotated.",
  },
  {
    name: "Agents",
    description: "Non-human identities: the owner of a client that acts by itself or for users, its status, and its reviews.",
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
  { name: "Provisioning", description: "Dynamic client registration and its rules, initial access tokens, and SCIM tokens." },
  {
    name: "Export and import",
    description:
      "The configuration of a realm as one document, for backups, for moving it to another server, and for configuration as code.",
  },
  { name: "Settings", description: "Branding, session, password and brute-force policies of a realm." },
  {
    name: "Keys",
    description:
      "The signing keys of a realm. The previous key stays published after a rotation, so that its signatures can still be verified.",
  },
  { name: "Sessions", description: "The sessions of a realm." },
  { name: "Events", description: "The audit trail: append-only, written in the same transaction as the change it records." },
  { name: "Messaging", description: "Mail, text messages and push: providers, templates and device tokens." },
  {
    name: "Webhooks",
    description:
      "Events of a realm that are sent to other systems as they occur. They are signed, repeated until they are accepted, and listed.",
  },
  {
    name: "SCIM targets",
    description:
      "Other services that receive the users and groups of a realm (RFC 7644): the data that is sent, its state, and the errors.",
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
    description: "The pages of the account console, at `/realms/{realm}/account/`. They are HTML and work without scripts.",
  },
  {
    name: "Devices",
    description: "Phones that users enroll with a key, sign-ins that users approve with them (push), and QR sign-ins.",
  },
  { name: "Transactions", description: "Transactions that a user signs for an application, once, with a fresh second factor." },
  {
    name: "SCIM",
    description: "Users and groups for provisioning clients such as Microsoft Entra and Okta (RFC 7643, RFC 7644), by a SCIM token.",
  },
  { name: "Protocol", description: "The endpoints that relying parties read and call." },
  { name: "Monitoring", description: "Health, readiness and metrics." },
  { name: "Description", description: "This documentation, as JSON and as a page." },
];
