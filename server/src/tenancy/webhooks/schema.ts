import Type, { type Static } from "typebox";
import { DAY, SECOND } from "../../kernel/clock.ts";
import { creationTime, nullable, oneOf, visibleName } from "../../platform/http/index.ts";
import { listQuery } from "../../platform/paging/index.ts";
import { eventTypes as knownTypes } from "../audit/index.ts";

const DAYS = DAY / SECOND;

const name = visibleName("a webhook's name", "billing");
const url = Type.String({
  minLength: 1,
  maxLength: 2048,
  description:
    "The address that events are sent to: https, at a public address. In development http to the server's own machine is accepted, too",
  examples: ["https://hooks.example.com/gatehouse"],
});
const eventTypes = Type.String({
  maxLength: 4096,
  description: "Event types, a category (`AUTHN`, `ADMIN`, `SECURITY`), or `*` for everything, separated by commas",
  examples: ["LOGIN_FAILURE,SECURITY"],
});
const secret = Type.String({
  minLength: 1,
  maxLength: 512,
  description:
    "The secret that signs every delivery. `whsec_` followed by base64 is a key in the form of Standard Webhooks. The key of any other text is its UTF-8 bytes",
});
const time = nullable(Type.Integer(), "A time in epoch milliseconds");

export const Webhook = Type.Object(
  {
    id: Type.String({ format: "uuid" }),
    realmId: Type.String(),
    name: Type.String(),
    url: Type.String(),
    secret: Type.Null({ description: "It is never shown. `secretSet` tells whether there is one" }),
    secretSet: Type.Boolean(),
    eventTypes: Type.String(),
    enabled: Type.Boolean({ description: "Events that occur while it is false are not sent. Earlier events still are" }),
    createdAt: creationTime,
    previousSecretUntil: nullable(Type.Integer(), "The time until which the secret before the last rotation signs too"),
  },
  { $id: "Webhook" },
);
export type Webhook = Static<typeof Webhook>;

export const CreateWebhook = Type.Object(
  {
    name,
    url,
    eventTypes,
    enabled: Type.Optional(Type.Boolean({ default: true })),
    secret: Type.Optional(nullable(secret)),
  },
  { $id: "CreateWebhook", additionalProperties: false },
);
export type CreateWebhook = Static<typeof CreateWebhook>;

export const UpdateWebhook = Type.Object(
  {
    ...Type.Partial(Webhook).properties,
    name,
    url,
    eventTypes,
    enabled: Type.Boolean(),
    secret: Type.Optional(
      Type.Union([secret, Type.Null()], {
        writeOnly: true,
        description:
          "If omitted, the stored secret is kept, unless scheme, host or port of `url` change. Null clears it, unless `secretSet` is true, as in the response of a read. " +
          "A new secret takes effect immediately",
      }),
    ),
  },
  { $id: "UpdateWebhook", additionalProperties: false },
);
export type UpdateWebhook = Static<typeof UpdateWebhook>;

/** The body may be left out; it then arrives as null. */
export const RotateSecret = Type.Union(
  [
    Type.Object(
      {
        secret: Type.Optional(secret),
        overlapSeconds: Type.Optional(
          Type.Integer({
            minimum: 0,
            maximum: 7 * DAYS,
            default: 0,
            description: "The time for which the old secret signs too, so that receivers can switch without missing deliveries",
          }),
        ),
      },
      { additionalProperties: false },
    ),
    Type.Null(),
  ],
  { $id: "RotateWebhookSecret" },
);
export type RotateSecret = Static<typeof RotateSecret>;

export const RotatedSecret = Type.Object(
  {
    ...Webhook.properties,
    secret: nullable(Type.String(), "The new secret if the server generated it; it is shown only here"),
  },
  { $id: "RotatedWebhookSecret" },
);
export type RotatedSecret = Static<typeof RotatedSecret>;

const deliveryStatuses = ["PENDING", "DELIVERED", "DEAD"] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

export const Delivery = Type.Object(
  {
    id: Type.String({ format: "uuid" }),
    webhookId: Type.String({ format: "uuid" }),
    eventId: Type.String({ format: "uuid", description: "The id of the event, which is the `webhook-id` of every attempt" }),
    eventType: Type.String(),
    status: oneOf(deliveryStatuses),
    attempts: Type.Integer({ description: "The number of attempts that have ended" }),
    nextAttemptAt: time,
    answerStatus: nullable(Type.Integer(), "The HTTP status of the last attempt, if there was a response"),
    answer: nullable(Type.String(), "The beginning of the receiver's response"),
    error: nullable(Type.String(), "The reason why the last attempt failed"),
    latencyMs: nullable(Type.Integer()),
    createdAt: creationTime,
    endedAt: time,
  },
  { $id: "WebhookDelivery" },
);
export type Delivery = Static<typeof Delivery>;

export const DeliveryQuery = listQuery({
  status: Type.Optional(oneOf(deliveryStatuses)),
  eventType: Type.Optional(oneOf(knownTypes)),
});
export type DeliveryQuery = Static<typeof DeliveryQuery>;

export const TestResult = Type.Object(
  {
    delivered: Type.Boolean({ description: "True when the receiver answered with a 2xx status" }),
    status: nullable(Type.Integer(), "The HTTP status, if there was a response"),
    latencyMs: Type.Integer(),
    error: Type.Optional(Type.String()),
    answer: Type.Optional(Type.String({ description: "The beginning of the receiver's response" })),
  },
  { $id: "WebhookTestResult" },
);
export type TestResult = Static<typeof TestResult>;
