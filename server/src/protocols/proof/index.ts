// Proof of possession: DPoP (RFC 9449) and client certificates (RFC 8705), which a proxy forwards in a header.
export { checkPossession, type PresentedToken, type ProofParts, type ProofRequest, presentedProof, proveBinding } from "./binding.ts";
export { certificateOf, createCertificateGuard, hasAlternativeName, hasShown, hasSubject, thumbprintOf } from "./certificate.ts";
