// Checks passwords: sources in turn, and better hashes afterwards. signin/run counts attempts and accepts correct ones.

export {
  directoryUnavailable,
  isUnavailable,
  isUncounted,
  localPasswords,
  nothingKnown,
  type PasswordAnswer,
  type PasswordQuestion,
  type PasswordSource,
  UNAVAILABLE_SECONDS,
} from "../../directory/credentials/index.ts";
export { acceptPassword, checkPassword, isByMail, isExpired, isOverloaded } from "./check.ts";
export { createPasswordUpgrades, type PasswordUpgrades } from "./upgrades.ts";
