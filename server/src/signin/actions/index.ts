// What users are asked to do before they go on: each a question on a page of its own. signin/login asks them after the steps of a flow.
export { acceptTermsAction } from "./accept-terms.tsx";
export {
  askToChangeEmail,
  CHANGE_EMAIL_PATH,
  followChangeEmail,
  pendingEmailOf,
  tellPresentAddress,
} from "./change-email.ts";
export { isEmail, isPersonName, isUsername } from "./names.ts";
export { refusalOf, updatePassword } from "./update-password.tsx";
export { updateProfile } from "./update-profile.tsx";
export { VERIFY_EMAIL_PATH, verifyEmail } from "./verify-email.tsx";
