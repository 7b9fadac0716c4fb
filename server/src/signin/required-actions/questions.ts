import { CreateUser, type RequiredAction } from "../../directory/users/index.ts";
import { buildValidator } from "../../platform/http/index.ts";
import { configureTotp, type Question } from "../authenticators/index.ts";
import { acceptTermsAction } from "./accept-terms.tsx";
import { configurePasskey } from "./configure-passkey.tsx";
import { updatePassword } from "./update-password.tsx";
import { updateProfile } from "./update-profile.tsx";
import { verifyEmail } from "./verify-email.tsx";

/** The required actions, each a question with its own page. */
export const actionQuestions: Readonly<Partial<Record<RequiredAction, Question>>> = {
  UPDATE_PASSWORD: updatePassword,
  VERIFY_EMAIL: verifyEmail,
  UPDATE_PROFILE: updateProfile,
  ACCEPT_TERMS: acceptTermsAction,
  CONFIGURE_TOTP: configureTotp,
  CONFIGURE_PASSKEY: configurePasskey,
};

/** Validates a username as the admin API does. */
export const isUsername: (value: string) => boolean = buildValidator({})({ schema: CreateUser.properties.username, httpPart: "body" });
