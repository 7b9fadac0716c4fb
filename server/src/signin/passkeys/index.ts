// Passkeys (WebAuthn): their challenges, and the answers of browsers to them. Owns `spent_challenges`. The passkeys themselves are rows of
// directory/credentials. Authenticators and the account API use this feature, so neither imports the library.
export { type Assertion, assertionOptions, checkAssertion, readAssertion, type UserVerification } from "./assertion.ts";
export { deleteExpiredChallenges, isSpent, judgeChallenge, makeChallenge, spendChallenge } from "./challenge.store.ts";
export {
  addPasskey,
  checkRegistration,
  cleanLabel,
  creationOptions,
  type NewPasskey,
  type Registering,
  type RegistrationParts,
  whyNotAdded,
} from "./registration.ts";
export { relyingPartyOf } from "./relying-party.ts";
