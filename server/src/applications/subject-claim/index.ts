// The realm's choice of `sub`, pairwise included, and its salt. Owns `realm_oidc`, of which registration reads `provisioning`.
// A client may choose otherwise (its `subjectClaim`); `subjectOf` works it out for both.
export { subjectClaimRoutes } from "./routes.ts";
export { SubjectClaim, UpdateSubjectClaim } from "./schema.ts";
export { readSubjectClaim, replaceSubjectClaim } from "./service.ts";
export { createSubjects, type Subjects, subjectOf } from "./subjects.ts";
