// Passwords: hashing and checking them off the main thread, at most as many at once as the machine has cores; hashes of other systems; and passwords that have
// leaked. The rules for good passwords are in credentials.
export { type BreachedPasswords, createBreachedPasswords, shippedBreaches } from "./breaches.ts";
export { type DirectoryRefusal, passwordErrors } from "./errors.ts";
export { storedForm } from "./foreign.ts";
export { createPasswordHasher, isKnownHash, isOverloaded, overloaded, type PasswordHasher } from "./hasher.ts";
