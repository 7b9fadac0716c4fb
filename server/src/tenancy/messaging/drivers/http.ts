import Type, { type Static } from "typebox";
import { isMailAddress } from "../../../kernel/text.ts";
import { oneOf } from "../../../platform/http/index.ts";
import { type Outbound, urlFaults } from "../../../platform/outbound/index.ts";
import {
  type Delivery,
  type Envelope,
  type FieldFault,
  type MessageDriver,
  MessageError,
  type MessageFailure,
  type Provider,
} from "../driver.ts";
import { isPhoneNumber, oneLine } from "../recipients.ts";
import { ask, failureOf, idOr, isSuccess, membersOf, refusal } from "./answers.ts";
import { headerFaults, headerMap, headerName, secretForHeader, urlText } from "./config.ts";
import { faultOf, fillIn, mediaType, plainBody, type Values } from "./http-body.ts";

const HttpConfig = Type.Object(
  {
    url: urlText,
    method: Type.Optional(oneOf(["POST", "PUT"], { description: "Default POST" })),
    contentType: Type.Optional(oneOf(["json", "form"], { description: "Default json" })),
    body: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 10_000,
        description: "The body, with placeholders such as {{to}} and {{text}}. By default it contains every value under its own name",
      }),
    ),
    headers: Type.Optional(headerMap),
    authorization: Type.Optional(
      Type.String({
        pattern: "^[A-Za-z][A-Za-z0-9-]{0,31}$",
        description: "the scheme of the Authorization header that carries the secret. Default Bearer; Basic takes user:password",
      }),
    ),
    secretHeader: Type.Optional(headerName("a header that carries the secret, in place of Authorization")),
  },
  { additionalProperties: false },
);
type HttpConfig = Static<typeof HttpConfig>;

const secret = { required: false, what: "the token or key that the gateway asks for" };

const addresses = (config: Provider["config"]) => [(config as HttpConfig).url];

const MAIL_VALUES = ["id", "to", "from", "fromName", "subject", "text", "html"] as const;
const TEXT_VALUES = ["id", "to", "from", "text"] as const;

/** Mail through an HTTP gateway. */
export const emailHttp: MessageDriver = {
  channel: "EMAIL",
  config: HttpConfig,
  secret,
  needsFromAddress: true,
  addresses,
  check: (provider, outbound) => faultsOf(provider, outbound, MAIL_VALUES),
  async send(provider, envelope, delivery) {
    if (!isMailAddress(envelope.to)) throw new MessageError("recipient", new Error("not an email address"));
    const { id, to, text, html } = envelope;
    const fromName = provider.fromName === null ? null : oneLine(provider.fromName);
    return post(provider, envelope, delivery, {
      id,
      to,
      from: provider.fromAddress,
      fromName,
      subject: oneLine(envelope.subject ?? ""),
      text,
      html,
    });
  },
};

/** Text messages through an HTTP gateway. */
export const smsHttp: MessageDriver = {
  channel: "SMS",
  config: HttpConfig,
  secret,
  needsFromAddress: false,
  addresses,
  check: (provider, outbound) => faultsOf(provider, outbound, TEXT_VALUES),
  async send(provider, envelope, delivery) {
    if (!isPhoneNumber(envelope.to)) throw new MessageError("recipient", new Error("not a telephone number"));
    const { id, to, text } = envelope;
    return post(provider, envelope, delivery, { id, to, from: provider.fromAddress, text });
  },
};

function faultsOf(provider: Provider, outbound: Outbound, names: readonly string[]): FieldFault[] {
  const config = provider.config as HttpConfig;
  const faults: FieldFault[] = urlFaults(outbound, "config.url", config.url);
  faults.push(...headerFaults(config.headers ?? {}, config.secretHeader));
  const template = config.body === undefined ? null : faultOf(config.body, config.contentType ?? "json", names);
  if (template !== null) faults.push({ field: "config.body", message: template });
  if (config.authorization !== undefined && config.secretHeader !== undefined)
    faults.push({
      field: "config.secretHeader",
      message: "Send config.secretHeader or config.authorization, not both: the secret is sent only once",
    });
  return [...faults, ...secretForHeader(provider.secret)];
}

async function post(provider: Provider, { id }: Envelope, delivery: Delivery, values: Values): Promise<{ messageId: string }> {
  const config = provider.config as HttpConfig;
  const contentType = config.contentType ?? "json";
  const answer = await ask(delivery, config.url, {
    method: config.method ?? "POST",
    headers: {
      ...config.headers,
      "content-type": mediaType[contentType],
      // draft-ietf-httpapi-idempotency-key-header: the gateway recognizes a repetition by this key.
      "idempotency-key": id,
      ...authorization(config, provider.secret),
    },
    body: config.body === undefined ? plainBody(contentType, values) : fillIn(config.body, contentType, values),
  });
  const members = membersOf(answer);
  if (!isSuccess(answer.status)) throw refusal(reportedFailure(members) ?? failureOf(answer.status), answer.status, answer.headers);
  return { messageId: idOr(id, members.messageId, members.id) };
}

function authorization(config: HttpConfig, secret: string | null): Record<string, string> {
  if (secret === null) return {};
  if (config.secretHeader !== undefined) return { [config.secretHeader.toLowerCase()]: secret };
  const scheme = config.authorization ?? "Bearer";
  return { authorization: `${scheme} ${scheme.toLowerCase() === "basic" ? Buffer.from(secret).toString("base64") : secret}` };
}

/** Failures that a gateway may report in its answer, because a status cannot express them: `{ "error": "recipient" }`. */
const REPORTED: readonly MessageFailure[] = ["recipient", "rejected", "credentials", "throttled"];
const reportedFailure = (members: Readonly<Record<string, unknown>>) => REPORTED.find((failure) => failure === members.error);
