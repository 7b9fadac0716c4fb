// Credentials: passwords with their history, second factors, enrollment tokens, and the counters of failed attempts. Owns `credentials`,
// `password_history`, `awaited_passwords` and `login_attempts`. Hashing happens before a transaction, never in one.
export {
  type AttemptCounter,
  type AttemptPolicy,
  clearAttempts,
  clearUserAttempts,
  deleteExpiredAttempts,
  forgetAttempts,
  lowerAttempts,
  raiseAttempts,
  raiseTwoAttempts,
  succeedAttempts,
  USER_COUNTERS,
} from "./attempts.store.ts";
export { awaitPasswords, takeAwaited } from "./awaited.store.ts";
export {
  type CredentialSummary,
  deleteCredential,
  deleteCredentials,
  deleteExpiredEnrollments,
  deleteOwnEnrollment,
  ENROLLMENT_TOKEN,
  listCredentials,
  replaceEnrollmentToken,
} from "./credentials.store.ts";
export { credentialErrors } from "./errors.ts";
export { keepEarlierPassword } from "./history.store.ts";
export {
  findPasskey,
  insertPasskey,
  listPasskeys,
  PASSKEY,
  type Passkey,
  renamePasskey,
  suspectPasskey,
  usePasskey,
} from "./passkeys.store.ts";
export {
  directoryUnavailable,
  type FoundAccount,
  isUnavailable,
  isUncounted,
  localPasswords,
  nothingKnown,
  type PasswordAnswer,
  type PasswordQuestion,
  type PasswordSource,
  UNAVAILABLE_SECONDS,
} from "./password-sources.ts";
export {
  type DirectoryPasswords,
  type PasswordParts,
  type PreparedPassword,
  preparePassword,
  prepareReplacement,
  replacePassword,
  storePassword,
  untilStored,
  type WrittenPassword,
} from "./passwords.service.ts";
export {
  dropPasswords,
  findPassword,
  isDirectorySource,
  isFromDirectory,
  savePassword,
  upgradePassword,
  usePassword,
} from "./passwords.store.ts";
export {
  findRecoveryCodes,
  insertTotp,
  listTotp,
  RECOVERY_CODE,
  replaceRecoveryCodes,
  TOTP,
  type TotpCredential,
  totpPlace,
  useRecoveryCode,
  useTotp,
} from "./second-factors.store.ts";
