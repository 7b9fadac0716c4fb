// Proof of possession: DPoP (RFC 9449) and client certificates (RFC 8705), which a proxy forwards in a header.
export { type AddressRealm, aliased, keycloakAddresses, keycloakPaths } from "./addresses.ts";
export { checkPossession, type PresentedToken, type ProofParts, presentedProof, proveBinding } from "./binding.ts";
export { certificateOf, createCertificateGuard, hasAlternativeName, hasShown, hasSubject, thumbprintOf } from "./certificate.ts";
