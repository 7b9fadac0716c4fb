// Checks passwords: sources in turn, and better hashes afterwards. signin/run counts attempts and accepts correct ones.
export { acceptPassword, checkPassword, isByMail, isExpired, isOverloaded } from "./check.ts";
export { createPasswordUpgrades, type PasswordUpgrades } from "./upgrades.ts";
