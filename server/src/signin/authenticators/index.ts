// Authenticators: the kinds of steps that a flow is made of, each a plain object. authenticator.ts is the contract, and every one
// of them passes the conformance suite. signin/flows puts them in order; signin/run asks them. Owns `terms_acceptances` and
// `device_challenges`: sign-ins to approve on an enrolled device (push) and screens to let in (qr). signin/enrolled-devices answers them.
import type { Authenticator } from "./authenticator.ts";
import { conditions } from "./conditions.ts";
import { cookie } from "./cookie.ts";
import { IDENTITY_PROVIDER, identityProvider } from "./identity-provider.tsx";
import { magicLink } from "./magic-link.tsx";
import { emailOtp, smsOtp } from "./otp.tsx";
import { passkey } from "./passkey.tsx";
import { password, usernamePassword } from "./password.tsx";
import { push } from "./push.tsx";
import { qr } from "./qr.tsx";
import { recoveryCode } from "./recovery-code.tsx";
import { resetEmail } from "./reset-email.tsx";
import { terms } from "./terms.tsx";
import { totp } from "./totp.tsx";
import { username } from "./username.tsx";

export const authenticators: Readonly<Record<string, Authenticator>> = {
  "username-password": usernamePassword,
  username,
  password,
  passkey,
  totp,
  "recovery-code": recoveryCode,
  "email-otp": emailOtp,
  "sms-otp": smsOtp,
  "magic-link": magicLink,
  [IDENTITY_PROVIDER]: identityProvider,
  cookie,
  push,
  qr,
  "reset-email": resetEmail,
  terms,
  ...conditions,
};

export type {
  Answer,
  Authenticator,
  Condition,
  Kept,
  NamedUser,
  Problem,
  Proof,
  Question,
  SignInRequest,
  Silent,
  StepContext,
  StepPage,
  TextKey,
  VisitorFacts,
} from "./authenticator.ts";
export { AskedAgain, question } from "./authenticator.ts";
export { approveChallenge, confirmChallenge, denyChallenge, endApprovals, startPush } from "./challenges.service.ts";
export { type Challenge, deleteEndedChallenges, findChallenge, openChallengesOf } from "./challenges.store.ts";
export { codesPage, codesSaved, setUpIn, storeFactor } from "./first-codes.tsx";
export { IDENTITY_PROVIDER } from "./identity-provider.tsx";
export { linkAccount } from "./link-account.tsx";
export { fitsLink, openElsewhere } from "./magic-link.tsx";
export { afterMail, answerMailedCode, confirmMailed, mailedOf, mailWait, resendMail } from "./mailed-code.ts";
export { newAccount } from "./new-account.tsx";
export type { SignInParts } from "./parts.ts";
export { createPasswordUpgrades } from "./password-upgrades.ts";
export {
  amrOf,
  carriedFrom,
  freshProgress,
  hasPassed,
  isCarried,
  isNew,
  isProven,
  linkedBy,
  type PassedStep,
  type Progress,
  SESSION,
  toBeLinked,
  toProofs,
  withPassed,
} from "./progress.ts";
export { RESET_PATH, type ResetLink } from "./reset-email.tsx";
export { NO_ADDRESS } from "./sent.store.ts";
export { acceptTerms, hasTerms } from "./terms.store.ts";
export { terms } from "./terms.tsx";
export { accountNameOf, typedDigits } from "./totp.tsx";
export { matchingStep, newTotpSecret, type TotpForm, totpUri } from "./totp-code.ts";
export { configureTotp } from "./totp-setup.tsx";
export { addresseeOf, findSignInUser, type SignInUser } from "./user.store.ts";
export { isTicked } from "./username.tsx";
