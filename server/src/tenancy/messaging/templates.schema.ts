import Type, { type Static } from "typebox";
import { lineText, nullable, oneOf } from "../../platform/http/index.ts";
import { channels } from "./driver.ts";
import { templateKeys } from "./templates.catalogue.ts";

const MAX_BODY = 65_536;

// The request has no enum, because the error for an unknown name lists the templates.
const templateKey = Type.String({ maxLength: 64, description: `One of ${templateKeys.join(", ")}`, examples: ["otp-email"] });
const locale = nullable(
  Type.String({ maxLength: 35, pattern: "^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$", description: "a language tag such as nl or pt-BR" }),
  "The language of this variant. Null for the variant of users whose language has none",
);
const subject = nullable(lineText("a subject is one line of text"), "EMAIL: the subject. PUSH: the title. SMS: null");
const body = Type.String({
  minLength: 1,
  maxLength: MAX_BODY,
  description: "The text, with placeholders: {{realm}}, {{code}}, {{ttl}}, {{user}}, {{link}}, {{user.<attribute>}}",
});
const html = Type.Boolean({ description: "True when `body` is HTML (EMAIL only)" });
const textBody = nullable(
  Type.String({ minLength: 1, maxLength: MAX_BODY }),
  "The plain text beside an HTML body. If null, it is made from the HTML",
);
const enabled = Type.Boolean({
  description: "False without a locale turns the message off; false with a locale makes that language use another variant",
});

export const MessageTemplate = Type.Object(
  {
    id: Type.String({ format: "uuid" }),
    realmId: Type.String(),
    templateKey: oneOf(templateKeys),
    channel: oneOf(channels),
    locale,
    subject: nullable(Type.String()),
    body: Type.String(),
    textBody: nullable(Type.String()),
    html,
    enabled,
    isDefault: Type.Boolean({ description: "True if this is the default text" }),
  },
  { $id: "MessageTemplate" },
);
export type MessageTemplate = Static<typeof MessageTemplate>;

export const SaveTemplate = Type.Object(
  {
    id: Type.Optional(Type.String()),
    realmId: Type.Optional(Type.String()),
    isDefault: Type.Optional(Type.Boolean()),
    templateKey,
    channel: Type.Optional(oneOf(channels, { description: "Follows from the key" })),
    locale: Type.Optional(locale),
    subject: Type.Optional(subject),
    body,
    textBody: Type.Optional(textBody),
    html: Type.Optional(html),
    enabled: Type.Optional(enabled),
  },
  { $id: "SaveMessageTemplate", additionalProperties: false },
);
export type SaveTemplate = Static<typeof SaveTemplate>;

export const PreviewTemplate = Type.Object(
  {
    templateKey,
    sample: Type.Record(Type.String({ maxLength: 160 }), Type.String({ maxLength: 4096 }), {
      description: "The value of each placeholder, by its name (`code`, `user.firstName`, …)",
      maxProperties: 100,
    }),
    locale: Type.Optional(locale),
    subject: Type.Optional(subject),
    body: Type.Optional(body),
    textBody: Type.Optional(textBody),
    html: Type.Optional(html),
  },
  { $id: "PreviewMessageTemplate", additionalProperties: false },
);
export type PreviewTemplate = Static<typeof PreviewTemplate>;

export const RenderedTemplate = Type.Object(
  {
    subject: nullable(Type.String()),
    body: Type.String({ description: "The body, which is HTML if the template is HTML: show it in a sandbox only" }),
    text: Type.String({ description: "The text for readers without HTML" }),
  },
  { $id: "RenderedMessageTemplate" },
);
export type RenderedTemplate = Static<typeof RenderedTemplate>;
