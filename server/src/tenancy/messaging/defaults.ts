import { htmlOf, textOf } from "./defaults.layout.ts";
import { arabic } from "./defaults.texts.ar.ts";
import { german } from "./defaults.texts.de.ts";
import { spanish } from "./defaults.texts.es.ts";
import { french } from "./defaults.texts.fr.ts";
import { italian } from "./defaults.texts.it.ts";
import { japanese } from "./defaults.texts.ja.ts";
import { polish } from "./defaults.texts.pl.ts";
import { portuguese } from "./defaults.texts.pt.ts";
import { swedish } from "./defaults.texts.sv.ts";
import { dutch, english, type Texts } from "./defaults.texts.ts";
import { type TemplateKey, templateKeys } from "./templates.catalogue.ts";

/** The text of a template, without its owner. */
export interface TemplateText {
  readonly subject: string | null;
  readonly body: string;
  /** The plain part beside an HTML body; null if it is made from the HTML. */
  readonly textBody: string | null;
  readonly html: boolean;
}

export interface ShippedTemplate extends TemplateText {
  readonly templateKey: TemplateKey;
  /** Null for the variant of users whose language has none. */
  readonly locale: string | null;
}

function textsOf(texts: Texts, locale: string | null, key: TemplateKey): ShippedTemplate {
  if (key === "otp-sms" || key === "push-approval") return { templateKey: key, locale, ...texts.plain[key], textBody: null, html: false };
  const mail = texts.mails[key];
  return {
    templateKey: key,
    locale,
    subject: mail.subject,
    body: htmlOf(mail, texts.lang, texts.greeting),
    textBody: textOf(mail, texts.greeting, texts.colon ?? ":"),
    html: true,
  };
}

/** The default templates. */
export const shippedTemplates: readonly ShippedTemplate[] = templateKeys.flatMap((key) => [
  textsOf(english, null, key),
  ...[dutch, german, french, spanish, italian, portuguese, polish, swedish, japanese, arabic].map((texts) =>
    textsOf(texts, texts.lang, key),
  ),
]);

export const shippedTemplate = (key: TemplateKey, locale: string | null): ShippedTemplate | null =>
  shippedTemplates.find((template) => template.templateKey === key && template.locale === locale) ?? null;
