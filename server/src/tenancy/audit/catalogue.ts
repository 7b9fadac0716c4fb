/** Every event that the server records, by category, with its description. docs/audit.md shows this list. */
export const catalogue = {
  AUTHN: {
    LOGIN_SUCCESS: { description: "A user signed in" },
    LOGIN_FAILURE: {
      description:
        "A sign-in was refused; the actor is the name that was typed, cut to 255 characters, and the detail is the step and the reason",
    },
    LOGOUT: { description: "A user signed out" },
    MFA_CHALLENGE: { description: "A second factor was requested" },
    MFA_SUCCESS: { description: "A second factor was given" },
    MFA_FAILURE: { description: "A second factor was refused; the detail is the step and the reason" },
    CLIENT_LOGIN: { description: "A client authenticated; only with the realm setting `auditClientLogins`" },
    CLIENT_LOGIN_FAILURE: { description: "A client could not authenticate; repeated failures are counted in one event" },
    REGISTER: { description: "A user registered an account" },
    BROKER_LOGIN: { description: "A user signed in through an identity provider; the detail of a failure is the reason" },
    SAML_LOGIN: { description: "A user signed in to a SAML client; the detail of a failure is the reason" },
    DEVICE_APPROVED: { description: "A user approved a device's sign-in; the detail is the client" },
    CIBA_APPROVED: { description: "A user approved a sign-in that a client started (CIBA); the detail is the client" },
  },
  ADMIN: {
    ADMIN_CREATE: { description: "An administrator created something" },
    ADMIN_UPDATE: { description: "An administrator changed something; the detail may name the part" },
    ADMIN_DELETE: { description: "An administrator deleted something" },
    ADMIN_ACTION: { description: "An administrator or the server did something else: rotate, import, send a test; the detail says what" },
    ADMIN_DENIED: { description: "A write was refused with 403; the detail has the method and the reason" },
    WEBHOOK_DEAD: { description: "A webhook delivery failed for the last time" },
    SCIM_TARGET_SUSPENDED: { description: "A SCIM target refuses us: nothing is sent until it accepts us again; the detail says why" },
  },
  SECURITY: {
    PROFILE_CHANGED: { description: "A user, or an identity provider at a sign-in, changed the profile; the detail names the members" },
    PASSWORD_CHANGED: { description: "A user changed their own password, or was refused because the present one was wrong" },
    PASSWORD_RESET: { description: "An administrator set a user's password, or a user chose a new one after a reset by mail" },
    TERMS_ACCEPTED: { description: "A user accepted the realm's terms; the detail is their version" },
    CREDENTIAL_ADDED: { description: "A credential was added to a user" },
    CREDENTIAL_REVOKED: { description: "A credential of a user was removed" },
    RECOVERY_CODE_USED: { description: "A user signed in with a recovery code; the detail says how many are left" },
    LINK_ADDED: { description: "A user was linked to an account at an identity provider; the detail is its alias" },
    LINK_REMOVED: { description: "A user was unlinked from an account at an identity provider; the detail is its alias" },
    LINK_TOKEN_READ: {
      description: "An application read a token of an identity provider for its user; the detail is the provider's alias",
    },
    USER_LOCKED: { description: "A user was locked, by an administrator or after too many failed attempts" },
    USER_UNLOCKED: { description: "A user was unlocked" },
    IMPERSONATION: { description: "An administrator requested, began or ended impersonation; the detail says which" },
    USER_ERASED: { description: "A user was erased; the event does not identify the user" },
    SESSION_REVOKED: { description: "A session was ended by an administrator, or by its user from another; the detail is its id" },
    SCIM_TOKEN_CREATED: { description: "An administrator created a SCIM token; the detail has its permissions" },
    SCIM_TOKEN_REVOKED: { description: "An administrator revoked a SCIM token" },
    CLIENT_SECRET_REVEALED: { description: "An administrator read a client's secret" },
    CLIENT_SECRET_ROTATED: { description: "A client got a new secret" },
    KEY_ROTATED: { description: "The realm got a new signing key" },
    KEY_DELETED: { description: "A retained signing key was deleted" },
    REALM_EXPORTED: { description: "The realm was exported with secrets, or with users; the detail names them" },
    CONSENT_GRANTED: { description: "A user consented to a client" },
    CONSENT_REVOKED: { description: "A consent was withdrawn" },
    REFRESH_TOKEN_REUSED: { description: "A refresh token was used twice; its grant was ended" },
    PUSH_DENIED: { description: "A user denied a sign-in on their phone; the detail names the application and the address it came from" },
    IDENTITY_ASSERTION_ISSUED: {
      description: "A client got an assertion about its user for another server; the detail names both",
    },
    WORKLOAD_TOKEN_ISSUED: { description: "A workload exchanged its token; the detail names issuer and subject" },
    WORKLOAD_TOKEN_REJECTED: {
      description: "A workload's token was refused; the detail names issuer and subject, and repeated refusals are counted in one event",
    },
    RESOURCE_SHARED: { description: "An owner shared a resource; the detail has the user's id, the application and the scopes" },
    RESOURCE_UNSHARED: { description: "An owner stopped sharing a resource, or refused a request; the detail is as in RESOURCE_SHARED" },
    AUTHZ_DECISION: {
      description:
        "Authorization services decided (outcome FAILURE: denied); sampled by the setting `decisionLogPercent`; the detail names the subject, the client and the scopes",
    },
    AGENT_ACTIVATED: { description: "An agent was activated" },
    AGENT_SUSPENDED: { description: "An agent was suspended" },
    AGENT_REVOKED: { description: "An agent was revoked permanently" },
    AGENT_ATTESTED: { description: "An agent's owner, or an administrator, confirmed that it is still needed" },
    DELEGATION_ISSUED: {
      description: "An agent got a token to act for a user; the detail names the scopes, and the agents that it acts through",
    },
    DELEGATION_REJECTED: { description: "An agent was refused a token to act for a user; repeated refusals are counted in one event" },
    TX_SIGNED: { description: "A transaction was signed, or declined (outcome FAILURE); the detail is its type" },
    TX_CONSUMED: { description: "A signed transaction was used by the application that requested it; the detail is its type" },
  },
} as const satisfies Record<string, Record<string, { readonly description: string }>>;

type Catalogue = typeof catalogue;
type TypesOf<C extends keyof Catalogue> = { readonly [T in keyof Catalogue[C]]: C };

declare module "../../platform/context.ts" {
  interface AuditEventTypes extends TypesOf<"AUTHN">, TypesOf<"ADMIN">, TypesOf<"SECURITY"> {}
}

export const categories = ["AUTHN", "ADMIN", "SECURITY"] as const;
/** Splits a comma-separated list into names, without duplicates. */
export const splitNames = (text: string): string[] => [
  ...new Set(
    text
      .split(",")
      .map((name) => name.trim())
      .filter((name) => name !== ""),
  ),
];
export const eventTypes: readonly string[] = categories.flatMap((category) => Object.keys(catalogue[category]));

/** The catalogue as Markdown, for the OpenAPI document. */
export const describedTypes = categories
  .map((category) => {
    const lines = Object.entries(catalogue[category]).map(([type, { description }]) => `- \`${type}\`: ${description}`);
    return `${category}:\n${lines.join("\n")}`;
  })
  .join("\n\n");
