// Credentials and the counters of failed attempts. Owns `credentials` and `login_attempts`.
// Passwords are Argon2id hashes; hashing happens before a transaction, never in one.
export { type AttemptPolicy, clearAttempts, deleteExpiredAttempts, lowerAttempts, raiseAttempts } from "./attempts.store.ts";
export { findPassword, isCurrentPassword, type PasswordCredential, savePassword } from "./passwords.store.ts";
