// Where passwords are checked: sources in turn, and better hashes afterwards. signin/run counts attempts and accepts what was right.
export { acceptPassword, checkPassword, isByMail, isExpired, isOverloaded, type RightPassword } from "./check.ts";
export { localPasswords, type PasswordAnswer, type PasswordSource } from "./sources.ts";
export { createPasswordUpgrades, type PasswordUpgrades } from "./upgrades.ts";
