import Type, { type Static } from "typebox";
import { lineText, nullable, oneOf, shownText } from "../../platform/http/index.ts";
import { channels, type MessageDriver } from "./driver.ts";
import { drivers } from "./drivers/index.ts";

const names = [...new Set(Object.values(drivers).flatMap((ofChannel) => Object.keys(ofChannel)))];
const channel = oneOf(channels);
const driver = oneOf(names, { description: "EMAIL: smtp, http. SMS: twilio, http. PUSH: fcm, apns" });

export const MessagingProvider = Type.Object(
  {
    id: Type.String({ format: "uuid" }),
    realmId: Type.String(),
    channel,
    driver,
    enabled: Type.Boolean({ description: "One provider of each channel can be enabled" }),
    fromAddress: nullable(Type.String()),
    fromName: nullable(Type.String()),
    config: Type.Unsafe<Record<string, unknown>>({
      type: "object",
      additionalProperties: true,
      description: "The settings of the driver, without secrets",
    }),
    secret: Type.Null({ description: "It is never shown" }),
    secretSet: Type.Boolean(),
  },
  { $id: "MessagingProvider" },
);
export type MessagingProvider = Static<typeof MessagingProvider>;

/** The config of each driver as a JSON Schema condition, for the OpenAPI document and for errors that name the member. */
const configRules = Object.entries(drivers).flatMap(([ofChannel, byName]: [string, Readonly<Record<string, MessageDriver>>]) => [
  {
    if: { type: "object", required: ["channel"], properties: { channel: { const: ofChannel } } },
    // biome-ignore lint/suspicious/noThenProperty: JSON Schema's word
    then: { properties: { driver: { enum: Object.keys(byName) } } },
  },
  ...Object.entries(byName).map(([name, { config }]) => ({
    if: { type: "object", required: ["channel", "driver"], properties: { channel: { const: ofChannel }, driver: { const: name } } },
    // biome-ignore lint/suspicious/noThenProperty: JSON Schema's word
    then: { properties: { config }, ...((config.required ?? []).length > 0 && { required: ["config"] }) },
  })),
]);

/** The full state of one provider. The response of GET is a valid one. */
export const UpsertProvider = Type.Object(
  {
    id: Type.Optional(Type.String()),
    realmId: Type.Optional(Type.String()),
    channel,
    driver,
    enabled: Type.Optional(Type.Boolean({ default: true })),
    fromAddress: Type.Optional(
      nullable(lineText("one line: an email address; for SMS a number in international form or a name of up to 11 characters", 320)),
    ),
    fromName: Type.Optional(nullable(shownText())),
    config: Type.Optional(
      Type.Unsafe<Record<string, unknown>>({ type: "object", description: "The settings of the driver, without secrets" }),
    ),
    secret: Type.Optional(
      Type.Union([Type.String({ minLength: 1, maxLength: 16_384 }), Type.Null()], {
        writeOnly: true,
        description:
          "If omitted, the stored secret is kept, unless scheme, host or port of the provider change. Null removes it, unless `secretSet` is true",
      }),
    ),
    secretSet: Type.Optional(Type.Boolean()),
  },
  { $id: "UpsertMessagingProvider", additionalProperties: false, allOf: configRules },
);
export type UpsertProvider = Static<typeof UpsertProvider>;

export const TestMessage = Type.Object(
  {
    to: Type.String({
      minLength: 1,
      maxLength: 4096,
      description: "An email address, a telephone number in international form, or a device token",
    }),
  },
  { $id: "TestMessage", additionalProperties: false },
);

export const TestResult = Type.Object(
  {
    sent: Type.Boolean(),
    messageId: Type.Optional(Type.String({ description: "The id of the message, given by the provider or by this server" })),
    error: Type.Optional(Type.String({ description: "The error, in a sentence that reveals nothing about the network" })),
  },
  { $id: "TestMessageResult" },
);
export type TestResult = Static<typeof TestResult>;
