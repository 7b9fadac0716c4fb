// Action tokens: links and codes that are mailed to a user, and setups in progress. Each works once. Owns `action_tokens`.
// A link works in any browser, after a button. A code works only on the page that asked for it.
export { failureOf, isMailedCode, type Mailed, type MailParts, mailLink, mayResend, resendWait } from "./mailed.ts";
export {
  type ActionToken,
  deleteExpiredTokens,
  dropTokensOf,
  endAddressChange,
  endMailedLinks,
  findToken,
  findTokenOf,
  forgetRegistrations,
  type NewToken,
  newActionToken,
  storeToken,
  type TokenKind,
  takeToken,
  takeTokenByHash,
  tokenHash,
} from "./store.ts";
export { mayTryCode } from "./tries.ts";
