// Realm settings: branding, sessions, password policy, brute force. Owns `realm_settings`.
// Other features read them from the realm's snapshot (tenancy/realms).
export { checkPasswordPolicy } from "./password-policy.ts";
export { confirmsFirst } from "./registration.ts";
export { settingsRoutes } from "./routes.ts";
export {
  assertionLifetime,
  type Branding,
  brandingMembers,
  brandingSchemas,
  type ClientProfile,
  clientProfiles,
  clockSkew,
  locales,
  nameIdFormats,
  type Settings,
  UpdateSettings,
} from "./schema.ts";
export { checkBranding, checkTexts, pointLogoAt, saveDisplayName, saveSettings, seedSettings } from "./service.ts";
export { defaultSettings, readSettings, readUserProfile, settingsOf, shareSettings, withDefaults } from "./store.ts";
export { type DeclaredAttribute, type Party, type UserProfile, UserProfilePolicy } from "./user-profile.schema.ts";
export {
  addressAttributes,
  attributesOf,
  isDeclarable,
  isVouched,
  openAttributes,
  standardAttributes,
  valuesForApplications,
  wordsIn,
} from "./user-profile.ts";
