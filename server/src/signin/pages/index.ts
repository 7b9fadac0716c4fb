// The pages people see while signing in: server-rendered, branded per realm, accessible, without scripts.
// Owns their HTML, style sheet, languages and security headers. Routes decide what to show; nothing here reads state.
export type { ShownApplication } from "./application.tsx";
export type { Branding } from "./branding.ts";
export { type CibaView, renderCiba } from "./ciba.tsx";
export { type ChooseAccountView, type ConsentView, renderChooseAccount, renderConsent } from "./consent.tsx";
export { type DeviceError, type DeviceView, renderDevice } from "./device.tsx";
export { type PageHeaderOptions, pageHeaders, type SendPageOptions, sendPage } from "./headers.ts";
export { type ImpersonationView, renderImpersonation } from "./impersonation.tsx";
export { type InvitationError, type InvitationView, renderInvitation } from "./invitation.tsx";
export type { PageFrame } from "./layout.tsx";
export { dirOf, type LanguageLink, type LocaleWishes, languageLinks, pickLocale } from "./locale.ts";
export { type LoginError, type LoginView, renderLogin } from "./login.tsx";
export { type LogoutView, renderLogout } from "./logout.tsx";
export { type MessageKind, type MessageView, messageKindOf, renderMessage } from "./message.tsx";
export { LOCALES, type Locale } from "./messages.ts";
export { CLASS_NAMES } from "./stylesheet.ts";
export { themeCss, themeVersion } from "./theme.ts";
