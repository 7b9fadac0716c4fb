// Where passwords are checked: sources in turn, and better hashes afterwards. signin/run counts attempts and accepts what was right.
export { acceptPassword, checkPassword, isByMail, isExpired, isOverloaded, isUnavailable } from "./check.ts";
export {
  directoryUnavailable,
  localPasswords,
  type PasswordAnswer,
  type PasswordQuestion,
  type PasswordSource,
  UNAVAILABLE_SECONDS,
} from "./sources.ts";
export { createPasswordUpgrades, type PasswordUpgrades } from "./upgrades.ts";
