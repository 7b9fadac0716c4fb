import schema from "virtual:schema/UpdateRealmSettings";
import { SingletonPage } from "../kit/singleton-page.tsx";
import { MANAGE, security, shownElsewhere } from "./settings.members.ts";

/** Members that a page of settings does not show stay as they are: PUT sends the whole record. */
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
      hidden: [...shownElsewhere, "realmId"],
    }}
  />
);
