// Passwords: hashing and checking them off the main thread, never more at once than the machine has cores; hashes of other systems;
// and which passwords have leaked. Rules about what a good password is live with credentials; this folder knows only what they cost.
export { type BreachedPasswords, createBreachedPasswords, shippedBreaches } from "./breaches.ts";
export { type DirectoryRefusal, passwordErrors } from "./errors.ts";
export { storedForm } from "./foreign.ts";
export { createPasswordHasher, isKnownHash, isOverloaded, overloaded, type PasswordHasher } from "./hasher.ts";
