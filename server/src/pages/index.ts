// Every page that people see, and what the account console's pages share: server-rendered, branded per realm, accessible.
// Owns their HTML, style sheets, scripts, texts and security headers. Routes decide what to show; nothing here reads state.
export type { ShownApplication } from "./application.tsx";
export { type AssetName, assetHref } from "./assets/files.ts";
export { assetRoutes } from "./assets/routes.ts";
export { Attribute, type ShownAttribute } from "./attributes.tsx";
export { BrandLinks, BrandMark } from "./brand.tsx";
export { type Branding, brandName, logoOf } from "./branding.ts";
export { browserName } from "./browser-name.ts";
export { renderCiba } from "./ciba.tsx";
export { AppSetup, CodeField, CodeList, LinkCode, LinkWaiting, RecoveryCodeList, renderLink, renderLinkElsewhere } from "./codes.tsx";
export { ConfirmLink, ConfirmNewAccount, linkLead, newAccountLead, proveLead } from "./confirm-link.tsx";
export { renderChooseAccount, renderConsent, scopeWords } from "./consent.tsx";
export { Field, HiddenUsername, loginName, NameField, type StepAlert, Submit } from "./controls.tsx";
export { Credentials, PasswordOnly, UsernameOnly, welcome } from "./credentials.tsx";
export { safeCustomCss } from "./custom-css.ts";
export { renderDeparture } from "./departure.tsx";
export { type DeviceError, renderDevice } from "./device.tsx";
export { nonceOf, type PageHeaderOptions, pageHeaders, type SendPageOptions, sendPage } from "./headers.ts";
export type { Hop } from "./hop.tsx";
export { renderImpersonation } from "./impersonation.tsx";
export { type InvitationError, type InvitationView, renderInvitation } from "./invitation.tsx";
export {
  Alert,
  brandOf,
  Form,
  PageFooter,
  type PageFrame,
  type PageScript,
  renderDocument,
  Sheet,
} from "./layout.tsx";
export { renderLeaving } from "./leaving.tsx";
export { homeOf, linkTarget } from "./links.ts";
export { dirOf, type LanguageLink, type LocaleWishes, languageLinks, pickLocale } from "./locale.ts";
export { type LoginView, renderLogin } from "./login.tsx";
export { type LogoutApplication, type LogoutFrame, renderLogout } from "./logout.tsx";
export { renderMailbox } from "./mailbox.tsx";
export { type MessageKind, type MessageView, messageKindOf, renderMessage } from "./message.tsx";
export { countedText, LOCALES, type Locale, type Messages, messagesOf, type OwnTexts, pluralForms, waitingTime } from "./messages.ts";
export { NewPassword, PasswordRuleList, ReplacePassword } from "./new-password.tsx";
export { renderNoAccess } from "./no-access.tsx";
export { ownTextFaults, shippedTexts } from "./own-texts.ts";
export { palettesOf } from "./palette.ts";
export { CreatePasskey, PasskeyBeside, UsePasskey } from "./passkey.tsx";
export { renderPostForm } from "./post-form.tsx";
export { FindProvider, ProviderLinks, type ShownLink } from "./providers.tsx";
export { PushEnded, PushWaiting, renderPush, type WaitingScreen } from "./push.tsx";
export { QrEnded, QrWaiting, renderQr } from "./qr.tsx";
export { MailedCode, Profile, Registration, type RegistrationForm, Terms } from "./self-service.tsx";
export { Named, renderStep, type StepView } from "./step.tsx";
export { renderStuck } from "./stuck.tsx";
export { CLASS_NAMES } from "./stylesheet.ts";
export { Filled, Isolated, withoutBidiControls } from "./text.tsx";
export { THEMES, type Theme, themeCss, themeVersion } from "./theme.ts";
export { type Moment, Time, Timed } from "./times.tsx";
export { renderTransaction } from "./transaction.tsx";
