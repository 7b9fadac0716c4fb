import type { Static } from "typebox";
import type { Credential } from "../../../directory/users/index.ts";
import { browserName, countedText, type Messages, Timed } from "../../../pages/index.ts";
import type { AccountBrowser } from "../access/access.schema.ts";
import type { IconName } from "./icons.tsx";
import { type AccountPageProps, type AccountView, Act, Action, AddedAndUsed, BrowserTitle, Panel, Row, Rows } from "./shell.tsx";

interface SecurityView {
  readonly view: AccountView;
  readonly credentials: readonly Credential[];
  readonly browsers: readonly Static<typeof AccountBrowser>[];
  /** True if the realm has a provider of push messages, so that phones can be enrolled. */
  readonly canPush: boolean;
}

/** Returns the name of a credential, including one to which the user gave none. */
export const credentialName = ({ type, label }: Pick<Credential, "type" | "label">, text: Messages): string =>
  label ??
  {
    passkey: text.accountPasskeyUnnamed,
    totp: text.accountAppUnnamed,
    push: text.accountPhoneUnnamed,
    "enrollment-token": text.accountPhoneWaiting,
    password: text.accountPassword,
  }[type] ??
  text.accountCodes;

/** Makes the page of all credentials of the user. */
export function securityPage({ view, credentials, browsers, canPush }: SecurityView): AccountPageProps {
  const { text, locale, now } = view;
  const of = (type: string) => credentials.filter((credential) => credential.type === type);
  const [password] = of("password");
  const [codes] = of("recovery-code");
  const list = (shown: readonly Credential[], icon: IconName) =>
    shown.length === 0 ? null : (
      <Rows>
        {shown.map((credential) => (
          <CredentialRow view={view} icon={icon} credential={credential} />
        ))}
      </Rows>
    );
  // A code that no phone has used yet can be withdrawn.
  const phones = [...of("push"), ...of("enrollment-token")];
  const isWithoutCodes = !codes?.remaining && ["passkey", "totp", "push"].some((type) => of(type).length > 0);
  const trusted = browsers.filter(({ trustedUntil }) => trustedUntil !== null);
  const pages = `${view.base}pages`;
  return {
    view,
    title: text.accountSecurity,
    lead: text.accountSecurityText,
    // An app enrolls a phone, and no page can show the codes that come with a first second factor.
    notice: isWithoutCodes ? text.accountCodesMissing : undefined,
    children: (
      <>
        <Panel
          title={text.accountPassword}
          icon="password"
          text={
            password ? (
              <Timed template={text.accountPasswordSince} at={password.createdAt} {...{ locale, now }} />
            ) : (
              text.accountPasswordNone
            )
          }
          action={password ? <Action href={`${pages}/password`}>{text.accountPasswordChange}</Action> : null}
        />
        <Panel
          title={text.accountPasskeys}
          icon="key"
          text={text.accountPasskeysText}
          action={<Action href={`${pages}/security/passkey`}>{text.accountPasskeyAdd}</Action>}
        >
          {list(of("passkey"), "key")}
        </Panel>
        <Panel
          title={text.accountApps}
          icon="phone"
          text={text.accountAppsText}
          action={<Action href={`${pages}/security/app`}>{text.accountAppAdd}</Action>}
        >
          {list(of("totp"), "phone")}
        </Panel>
        {canPush || phones.length > 0 ? (
          <Panel
            title={text.accountPhones}
            icon="phone"
            text={text.accountPhonesText}
            action={canPush ? <Action href={`${pages}/security/phone`}>{text.accountPhoneAdd}</Action> : null}
          >
            {list(phones, "phone")}
          </Panel>
        ) : null}
        <Panel
          title={text.accountCodes}
          icon="codes"
          text={text.accountCodesText}
          action={<Action href={`${pages}/security/recovery-codes`}>{text.accountCodesMake}</Action>}
        >
          <p class="gh-panel-text">
            {codes?.remaining ? countedText(locale, text.accountCodesLeft, codes.remaining) : text.accountCodesNone}
          </p>
        </Panel>
        <Panel title={text.accountBrowsers} icon="sessions" text={trusted.length > 0 ? text.accountBrowsersText : text.accountBrowsersNone}>
          {trusted.length === 0 ? null : (
            <Rows>
              {trusted.map(({ id, userAgent, trustedUntil, lastSeenAt, current }) => {
                const name = userAgent ? browserName(userAgent) : text.accountUnknownBrowser;
                return (
                  <Row
                    icon="sessions"
                    title={<BrowserTitle text={text} name={name} current={current} />}
                    facts={[
                      <Timed template={text.accountSeen} at={lastSeenAt} {...{ locale, now }} />,
                      <Timed template={text.accountBrowserTrusted} at={trustedUntil!} {...{ locale, now }} />,
                    ]}
                  >
                    <Act view={view} path="security/browsers/forget" values={{ id }} label={`${text.accountBrowserForget}: ${name}`}>
                      {text.accountBrowserForget}
                    </Act>
                  </Row>
                );
              })}
            </Rows>
          )}
        </Panel>
      </>
    ),
  };
}

function CredentialRow({ view, icon, credential }: { view: AccountView; icon: IconName; credential: Credential }) {
  const { text, locale, now } = view;
  const { id, type, createdAt, lastUsedAt, turnedOffAt } = credential;
  const name = credentialName(credential, text);
  const query = new URLSearchParams({ type, id });
  return (
    <Row
      icon={icon}
      title={<bdi>{name}</bdi>}
      facts={[
        <AddedAndUsed view={view} added={createdAt} used={lastUsedAt} />,
        ...(turnedOffAt === undefined ? [] : [<Timed template={text.accountPasskeyOff} at={turnedOffAt} {...{ locale, now }} />]),
      ]}
    >
      {type === "passkey" ? (
        <Action href={`${view.base}pages/security/rename?${new URLSearchParams({ id })}`} label={`${text.accountRename}: ${name}`}>
          {text.accountRename}
        </Action>
      ) : null}
      <Action href={`${view.base}pages/security/remove?${query}`} label={`${text.accountRemove}: ${name}`}>
        {text.accountRemove}
      </Action>
    </Row>
  );
}
