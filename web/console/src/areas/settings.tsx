import schema from "virtual:schema/UpdateRealmSettings";
import type { components } from "@gatehouse/api";
import { SingletonPage } from "../kit/singleton-page.tsx";
import { BrandImages } from "./brand-images.tsx";
import { BrandPreview } from "./brand-preview.tsx";

type Settings = components["schemas"]["UpdateRealmSettings"];

const MANAGE = ["manage-realm"] as const;

type Name = keyof Settings & string;
const branding: readonly Name[] = [
  ...(["displayName", "logoUrl", "primaryColor", "backgroundColor", "backgroundStyle", "fontFamily"] as const),
  ...(["welcomeText", "welcomeTexts", "privacyUrl", "customCss"] as const),
];
const security: readonly Name[] = ["passwordPolicy", "bruteForce", "totp", "passkeys", "trustedDevices", "passwordReset", "newDeviceMail"];
const shown = new Set<string>([...branding, ...security, "userProfile"]);

/** Members that a page of settings does not show stay as they are: PUT sends the whole record. */
export const Branding = () => (
  <SingletonPage
    title="Branding"
    description="How the sign-in pages and mails of this realm look."
    path="/settings"
    manage={MANAGE}
    form={{ schema, sections: [{ fields: branding }], only: true }}
    before={<BrandImages />}
    preview={(draft) => <BrandPreview draft={draft} />}
  />
);

export const PasswordsAndMfa = () => (
  <SingletonPage
    title="Passwords & MFA"
    description="The password policy, protection against guessing, and second factors."
    path="/settings"
    manage={MANAGE}
    form={{ schema, sections: [{ fields: security }], only: true }}
  />
);

export const RealmSettings = () => (
  <SingletonPage
    title="Realm settings"
    description="Sessions, registration, tokens, protocols and limits of this realm."
    path="/settings"
    manage={MANAGE}
    form={{
      schema,
      sections: [
        { title: "People", fields: ["defaultLocale", "registration", "account", "terms", "identifierFirst"] },
        { title: "Sessions", fields: ["sessions"] },
        { title: "Tokens", fields: ["tokens", "oidc", "saml"] },
      ],
      hidden: [...shown, "realmId"],
    }}
  />
);
