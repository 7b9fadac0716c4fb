import Type, { type Static } from "typebox";
import { withoutEnding } from "../../../kernel/text.ts";
import { urlFaults } from "../../../platform/outbound/index.ts";
import { type FieldFault, type MessageDriver, MessageError, type MessageFailure } from "../driver.ts";
import { isPhoneNumber } from "../recipients.ts";
import { ask, failureOf, idOr, isSuccess, membersOf, refusal } from "./answers.ts";
import { secretForHeader, urlText } from "./config.ts";

const sid = (description: string) => Type.String({ pattern: "^[A-Za-z0-9_-]{1,64}$", description });

const TwilioConfig = Type.Object(
  {
    accountSid: sid("an account's identifier: letters and digits"),
    messagingServiceSid: Type.Optional(sid("the identifier of a messaging service: letters and digits. The service then picks the sender")),
    baseUrl: Type.Optional(urlText),
  },
  { additionalProperties: false },
);
type TwilioConfig = Static<typeof TwilioConfig>;

const BASE_URL = "https://api.twilio.com";

// https://www.twilio.com/docs/api/errors: codes of faults of the number, of too many messages, and of credentials.
const RECIPIENT_CODES = [21211, 21214, 21217, 21265, 21401, 21407, 21408, 21421, 21610, 21612, 21614, 21635, 30003, 30005, 30006];
const THROTTLED_CODES = [14107, 20429, 21611, 30001, 63018];
const CREDENTIAL_CODES = [20003, 20005, 20006, 20403];

/** Text messages through Twilio, or through a gateway with the same API. */
export const twilio: MessageDriver = {
  channel: "SMS",
  config: TwilioConfig,
  secret: { required: true, what: "the auth token of the account" },
  needsFromAddress: false,
  addresses: (config) => [(config as TwilioConfig).baseUrl ?? BASE_URL],

  check(provider, outbound) {
    const { baseUrl, messagingServiceSid } = provider.config as TwilioConfig;
    const faults: FieldFault[] = baseUrl === undefined ? [] : urlFaults(outbound, "config.baseUrl", baseUrl);
    if (provider.fromAddress === null && messagingServiceSid === undefined)
      faults.push({ field: "fromAddress", message: "fromAddress is required, unless config.messagingServiceSid picks the sender" });
    return [...faults, ...secretForHeader(provider.secret)];
  },

  async send(provider, { id, to, text }, delivery) {
    if (!isPhoneNumber(to)) throw new MessageError("recipient", new Error("not a telephone number"));
    const { accountSid, messagingServiceSid, baseUrl = BASE_URL } = provider.config as TwilioConfig;
    const sender = messagingServiceSid === undefined ? { From: provider.fromAddress ?? "" } : { MessagingServiceSid: messagingServiceSid };
    const answer = await ask(delivery, `${withoutEnding(baseUrl, "/")}/2010-04-01/Accounts/${accountSid}/Messages.json`, {
      method: "POST",
      headers: {
        authorization: `Basic ${Buffer.from(`${accountSid}:${provider.secret ?? ""}`).toString("base64")}`,
        "content-type": "application/x-www-form-urlencoded",
        // Twilio itself has no such parameter for messages, but gateways in between may.
        "idempotency-key": id,
      },
      body: new URLSearchParams({ To: to, Body: text, ...sender }).toString(),
    });
    const members = membersOf(answer);
    if (!isSuccess(answer.status)) {
      const code = Number(members.code);
      throw refusal(
        failureOfCode(code) ?? failureOf(answer.status),
        answer.status,
        answer.headers,
        Number.isInteger(code) ? String(code) : "",
      );
    }
    return { messageId: idOr(id, members.sid) };
  },
};

function failureOfCode(code: number): MessageFailure | null {
  if (RECIPIENT_CODES.includes(code)) return "recipient";
  if (THROTTLED_CODES.includes(code)) return "throttled";
  return CREDENTIAL_CODES.includes(code) ? "credentials" : null;
}
