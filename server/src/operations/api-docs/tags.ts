/** What the groups of the description are about, in the order in which they are shown. A route with another tag fails the tests. */
export const tags: readonly { readonly name: string; readonly description: string }[] = [
  {
    name: "Realms",
    description:
      "Isolated tenants, each with its own users, roles, keys, settings and audit trail. Holders of `realm-admin` in `master` only.",
  },
  { name: "Users", description: "The people of a realm, their passwords and their roles." },
  { name: "Groups", description: "A tree of groups, their members, and the roles that they grant to every member." },
  { name: "Roles", description: "Realm roles, what they include, and the one that every new user gets." },
  { name: "Admin roles", description: "Which admin permissions a role gives. Changes count on the holder's next request." },
  { name: "Organizations", description: "Companies and teams inside a realm: their domains, their members, and invitations by mail." },
  { name: "Settings", description: "Branding, session, password and brute-force policies of a realm." },
  {
    name: "Keys",
    description: "A realm's signing keys. The previous key stays published after a rotation, so that what it signed still verifies.",
  },
  { name: "Sessions", description: "Who is signed in to a realm." },
  { name: "Events", description: "The audit trail: append-only, written in the same transaction as what it tells of." },
  { name: "Messaging", description: "How mail, text messages and push leave the server: providers, templates and device tokens." },
  { name: "Webhooks", description: "Events of a realm, sent to others as they happen: signed, repeated until they are taken, and listed." },
  { name: "Sign-in", description: "The pages by which people sign in and out. They are HTML and work without scripts." },
  { name: "Account", description: "What signed-in users do for themselves: their data and what they allowed applications." },
  { name: "Protocol", description: "What relying parties read and call." },
  { name: "Monitoring", description: "Health, readiness and metrics." },
  { name: "Description", description: "This description, for programs and for people." },
];
