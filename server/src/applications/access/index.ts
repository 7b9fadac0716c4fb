// The access policy: it decides whether this user may use this application, through this client, now (decisions 0025 and 0058). It reads
// `allowedRoles` and `allowedGroups` of OIDC and SAML clients: if both are empty it admits every user, otherwise users who hold one of the
// roles or are in one of the groups. Ids are stored; administrators read and write names. An agent's client counts while the agent is
// active.
export { acts as agentActs, hasConsented, isLive, isOfAgent, isOfEpoch, liveClient, mayAllAct } from "./live.store.ts";
export { type AccessRefusal, type AccessRequest, accessMembers, refusalOf } from "./policy.ts";
export { findRole, type KeepingGone, resolveAccess, spellAccess } from "./resolve.ts";
export { heldBy, isAllowedBy, namesOfRoles } from "./store.ts";
