// What `sub` is: the realm's choice, also pairwise, and the salt behind that. Owns `realm_oidc`, of which registration reads `provisioning`.
// A client may choose otherwise (its `subjectClaim`); `subjectOf` works it out for both.
export { subjectClaimRoutes } from "./routes.ts";
export { SubjectClaim, UpdateSubjectClaim } from "./schema.ts";
export { readSubjectClaim, replaceSubjectClaim } from "./service.ts";
export { createSubjects, type Subjects, subjectOf } from "./subjects.ts";
