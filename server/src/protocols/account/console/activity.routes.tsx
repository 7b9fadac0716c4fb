import Type from "typebox";
import { isId } from "../../../kernel/ids.ts";
import { Filled, type Messages, Timed } from "../../../pages/index.ts";
import { field, route } from "../../../platform/http/index.ts";
import { ownEventsOf, type SignInEvent } from "../../../tenancy/audit/index.ts";
import type { ConsolePages } from "./pages.ts";
import { Action, Row, RowsPanel } from "./shell.tsx";

const PATH = "pages/activity";
const SIZE = 50;

const WORDS: Readonly<Record<string, keyof Messages>> = {
  LOGIN_SUCCESS: "eventLoginSuccess",
  LOGIN_FAILURE: "eventLoginFailure",
  LOGOUT: "eventLogout",
  MFA_CHALLENGE: "eventMfaChallenge",
  MFA_SUCCESS: "eventMfaSuccess",
  MFA_FAILURE: "eventMfaFailure",
  REGISTER: "eventRegister",
  BROKER_LOGIN: "eventBrokerLogin",
  SAML_LOGIN: "eventSamlLogin",
  DEVICE_APPROVED: "eventDeviceApproved",
  CIBA_APPROVED: "eventCibaApproved",
  PROFILE_CHANGED: "eventProfileChanged",
  PASSWORD_CHANGED: "eventPasswordChanged",
  PASSWORD_RESET: "eventPasswordReset",
  TERMS_ACCEPTED: "eventTermsAccepted",
  CREDENTIAL_ADDED: "eventCredentialAdded",
  CREDENTIAL_REVOKED: "eventCredentialRevoked",
  RECOVERY_CODE_USED: "eventRecoveryCodeUsed",
  LINK_ADDED: "eventLinkAdded",
  LINK_REMOVED: "eventLinkRemoved",
  SESSION_REVOKED: "eventSessionRevoked",
  CONSENT_GRANTED: "eventConsentGranted",
  CONSENT_REVOKED: "eventConsentRevoked",
  PUSH_DENIED: "eventPushDenied",
  TX_SIGNED: "eventTxSigned",
};

/** Returns the text for an event. */
const eventWords = ({ type }: Pick<SignInEvent, "type">, text: Messages): string => text[WORDS[type] ?? "eventOther"];

/** Reads the last event of an earlier page. */
function placeIn(after: string | undefined): Pick<SignInEvent, "ts" | "id"> | null {
  const [ts = "", id = ""] = (after ?? "").split(".", 2);
  return /^\d{1,15}$/.test(ts) && isId(id) ? { ts: Number(ts), id } : null;
}

export const activityPages: ConsolePages = async (app, { pages, places }) => {
  route(app, "GET", `/${PATH}`, {
    summary: "Show the page of your account's activity",
    querystring: Type.Object({ after: field(64), lang: field(35) }),
    handler: async (request, reply) => {
      const view = await pages.viewOf(request, reply, "activity");
      const { text, locale, now } = view;
      const before = placeIn(request.query.after);
      const found = await request.read(({ tx, realm, actor }) => ownEventsOf(tx, realm, actor.id, { before, limit: SIZE + 1 }));
      const events = found.slice(0, SIZE);
      const last = found.length > SIZE ? events.at(-1)! : null;
      return pages.show(request, reply, {
        view,
        title: text.accountActivity,
        lead: text.accountActivityText,
        children: (
          <>
            <RowsPanel none={text.accountActivityNone}>
              {events.map((event) => (
                <Row
                  title={
                    <>
                      {eventWords(event, text)}
                      {event.outcome === "FAILURE" ? <span class="gh-tag gh-tag--bad">{text.accountActivityFailed}</span> : null}
                    </>
                  }
                  facts={[
                    <>
                      <Timed template="{time}" at={event.ts} {...{ locale, now }} />
                      {event.sourceIp === null ? null : (
                        <>
                          {" "}
                          · <Filled template={text.accountFromAddress} values={{ address: places.beside(event.sourceIp, locale) }} />
                        </>
                      )}
                    </>,
                  ]}
                />
              ))}
            </RowsPanel>
            {last === null ? null : (
              <Action href={`${view.base}${PATH}?${new URLSearchParams({ after: `${last.ts}.${last.id}` })}`}>
                {text.accountActivityOlder}
              </Action>
            )}
          </>
        ),
      });
    },
  });
};
