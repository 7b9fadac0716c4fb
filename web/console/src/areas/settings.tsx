import schema from "virtual:schema/UpdateRealmSettings";
import type { components } from "@gatehouse/api";
import { Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useRealm } from "../app/session.tsx";
import { useText } from "../i18n/index.ts";
import { SingletonPage } from "../kit/singleton-page.tsx";
import { NoMail } from "./no-mail.tsx";
import { MANAGE, security, shownElsewhere } from "./settings.members.ts";

type Settings = components["schemas"]["UpdateRealmSettings"];

/** Says where a second factor is required, which is not a setting. */
function WhoNeedsTwo() {
  const t = useText();
  const { realm, may } = useRealm();
  return (
    <Text size="sm">
      {t("Users who have a second factor are asked for it. The sign-in flow decides who must have one.")}{" "}
      {may("manage-authorization") && <Link to={`/realms/${realm}/flows/browser` as never}>{t("Open the sign-in flow")}</Link>}
    </Text>
  );
}

/** Edits some of the settings. The others stay as they are, because PUT sends the whole record. */
export const PasswordsAndMfa = () => (
  <SingletonPage
    title="Passwords & MFA"
    description="The password policy, protection against guessing, and second factors."
    path="/settings"
    manage={MANAGE}
    before={<WhoNeedsTwo />}
    form={{
      schema,
      sections: [{ fields: security }],
      notes: { passwordReset: ({ passwordReset }) => (passwordReset as Settings["passwordReset"])?.enabled && <NoMail /> },
      only: true,
    }}
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
      notes: {
        // This follows the server's rule for accounts that are confirmed by mail first.
        registration: ({ registration }) => {
          const { enabled, verifyEmail, emailAsUsername } = registration as Required<NonNullable<Settings["registration"]>>;
          return enabled && (verifyEmail || emailAsUsername) && <NoMail />;
        },
      },
      hidden: [...shownElsewhere, "realmId"],
    }}
  />
);
