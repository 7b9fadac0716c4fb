import type { RequiredAction } from "../../directory/users/index.ts";
import { configureTotp, type Question } from "../authenticators/index.ts";
import { acceptTermsAction } from "./accept-terms.tsx";
import { configurePasskey } from "./configure-passkey.tsx";
import { updatePassword } from "./update-password.tsx";
import { updateProfile } from "./update-profile.tsx";
import { verifyEmail } from "./verify-email.tsx";

/** What users are asked to do before they go on, each on a page of its own. */
export const actionQuestions: Readonly<Partial<Record<RequiredAction, Question>>> = {
  UPDATE_PASSWORD: updatePassword,
  VERIFY_EMAIL: verifyEmail,
  UPDATE_PROFILE: updateProfile,
  ACCEPT_TERMS: acceptTermsAction,
  CONFIGURE_TOTP: configureTotp,
  CONFIGURE_PASSKEY: configurePasskey,
};
