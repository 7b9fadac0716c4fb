import type { components } from "@gatehouse/api";

export const MANAGE = ["manage-realm"] as const;

type Name = keyof components["schemas"]["UpdateRealmSettings"] & string;

/** The members that a draft of the brand may have. */
export const branding: readonly Name[] = [
  ...(["displayName", "logoUrl", "primaryColor", "backgroundColor", "backgroundStyle", "fontFamily"] as const),
  ...(["welcomeText", "welcomeTexts", "texts", "privacyUrl", "customCss"] as const),
];
export const security: readonly Name[] = [
  ...(["passwordPolicy", "bruteForce", "totp", "passkeys", "trustedDevices", "passwordReset", "newDeviceMail"] as const),
];
/** Members that have their own page. */
export const shownElsewhere: readonly Name[] = [...branding, ...security, "userProfile"];
