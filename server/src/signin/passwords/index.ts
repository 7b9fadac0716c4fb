// Where passwords are checked, and how: sources in turn, better hashes afterwards, and the one way that every password goes.
// Pages and grants decide what a right one leads to.

export {
  acceptPassword,
  checkPassword,
  isByMail,
  isExpired,
  isOverloaded,
  type PasswordProofParts,
  type ProofOutcome,
  type ProvenUser,
  provePassword,
  type RightPassword,
  recordFailure,
  recordLock,
  stranger,
} from "./prove.ts";
export { localPasswords, type PasswordAnswer, type PasswordSource } from "./sources.ts";
export { createPasswordUpgrades, type PasswordUpgrades } from "./upgrades.ts";
