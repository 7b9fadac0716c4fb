import { AUTHN_CONTEXT } from "../../platform/saml/index.ts";

const saml = (name: string) => `urn:oasis:names:tc:SAML:2.0:ac:classes:${name}`;

/** AuthnContextClassRef → `acr`, for every service provider: one factor is level 1, two are level 2. */
export const authnContexts: Readonly<Record<string, string>> = {
  [AUTHN_CONTEXT.unspecified]: "1",
  [AUTHN_CONTEXT.password]: "1",
  [AUTHN_CONTEXT.passwordProtectedTransport]: "1",
  [saml("PreviousSession")]: "1",
  "https://refeds.org/profile/sfa": "1",
  [saml("TimeSyncToken")]: "2",
  [saml("MobileTwoFactorContract")]: "2",
  [saml("MobileTwoFactorUnregistered")]: "2",
  "https://refeds.org/profile/mfa": "2",
  "http://schemas.microsoft.com/claims/multipleauthn": "2",
};
