// The pages people see while signing in: server-rendered, branded per realm, accessible, without scripts.
// Owns their HTML, style sheet, languages and security headers. Routes decide what to show; nothing here reads state.
export type { ShownApplication } from "./application.tsx";
export type { Branding } from "./branding.ts";
export { type CibaView, renderCiba } from "./ciba.tsx";
export { AppSetup, CodeField, type LinkView, LinkWaiting, RecoveryCodeList, renderLink } from "./codes.tsx";
export { type ChooseAccountView, type ConsentView, renderChooseAccount, renderConsent } from "./consent.tsx";
export { Field, loginName, Submit } from "./controls.tsx";
export { Credentials, PasswordOnly, UsernameOnly, Welcome } from "./credentials.tsx";
export { type DeviceError, type DeviceView, renderDevice } from "./device.tsx";
export { type PageHeaderOptions, pageHeaders, type SendPageOptions, sendPage } from "./headers.ts";
export { type ImpersonationView, renderImpersonation } from "./impersonation.tsx";
export { type InvitationError, type InvitationView, renderInvitation } from "./invitation.tsx";
export type { PageFrame } from "./layout.tsx";
export { dirOf, type LanguageLink, type LocaleWishes, languageLinks, pickLocale } from "./locale.ts";
export { type LoginView, renderLogin } from "./login.tsx";
export { type LogoutApplication, type LogoutFrame, type LogoutHop, type LogoutView, renderLogout } from "./logout.tsx";
export { type MessageKind, type MessageView, messageKindOf, renderMessage } from "./message.tsx";
export { LOCALES, type Locale, type Messages, messagesOf } from "./messages.ts";
export { NewPassword, ReplacePassword } from "./new-password.tsx";
export { CreatePasskey, PasskeyBeside, UsePasskey } from "./passkey.tsx";
export { PushEnded, type PushView, PushWaiting, renderPush, type WaitingScreen } from "./push.tsx";
export { QrEnded, type QrView, QrWaiting, renderQr } from "./qr.tsx";
export { MailedCode, Profile, Registration, type RegistrationForm, Terms } from "./self-service.tsx";
export { Named, renderStep, STEP_ALERT, type StepProblem, type StepView } from "./step.tsx";
export { renderStuck } from "./stuck.tsx";
export { CLASS_NAMES } from "./stylesheet.ts";
export { themeCss, themeVersion } from "./theme.ts";
export { renderTransaction, type TransactionView } from "./transaction.tsx";
