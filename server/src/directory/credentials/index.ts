// Credentials: passwords with their history, enrollment tokens, and the counters of failed attempts. Owns `credentials`,
// `password_history` and `login_attempts`. Hashing happens before a transaction, never in one.
export {
  type AttemptPolicy,
  clearAttempts,
  deleteExpiredAttempts,
  forgetAttempts,
  lowerAttempts,
  raiseAttempts,
} from "./attempts.store.ts";
export {
  type CredentialSummary,
  deleteCredential,
  deleteExpiredEnrollments,
  ENROLLMENT_TOKEN,
  listCredentials,
  replaceEnrollmentToken,
} from "./credentials.store.ts";
export { credentialErrors } from "./errors.ts";
export { keepEarlierPassword } from "./history.store.ts";
export {
  type PasswordParts,
  type PreparedPassword,
  preparePassword,
  replacePassword,
  storePassword,
  untilStored,
} from "./passwords.service.ts";
export { findPassword, type PasswordCredential, savePassword, upgradePassword, usePassword } from "./passwords.store.ts";
