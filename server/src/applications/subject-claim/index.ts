// The realm's choice of `sub`, including pairwise, and its salt. Owns `realm_oidc`, of which registration reads `provisioning`.
// A client may have its own `subjectClaim`. `subjectOf` computes the value for both.
export { subjectClaimRoutes } from "./routes.ts";
export { SubjectClaim, UpdateSubjectClaim } from "./schema.ts";
export { readSubjectClaim, replaceSubjectClaim } from "./service.ts";
export { createSubjects, type Subjects, subjectOf } from "./subjects.ts";
