import { cut } from "../../kernel/text.ts";
import { type MailBrand, NO_BRAND } from "./brand.ts";
import type { TemplateText } from "./defaults.ts";
import { placedInHtml, textOfHtml } from "./placeholders.html.ts";
import { type Part, parseTemplate, renderHtml, renderText, type Values } from "./placeholders.ts";
import { entryOf, placeholdersOf, type TemplateKey } from "./templates.catalogue.ts";

export interface CompiledTemplate {
  readonly subject: readonly Part[] | null;
  readonly html: readonly Part[] | null;
  readonly text: readonly Part[];
}

export interface Rendered {
  readonly subject: string | null;
  readonly html: string | null;
  readonly text: string;
}

type TemplateFault = (field: "subject" | "body" | "textBody", message: string) => void;

/** Parses all parts of a template, and reports every error by its field. */
export function compileTemplate(key: TemplateKey, template: TemplateText, fault: TemplateFault): CompiledTemplate {
  const placeholders = placeholdersOf(key);
  const parse = (field: "subject" | "body" | "textBody", text: string) =>
    parseTemplate(text, placeholders, (message) => fault(field, message));
  const subject = template.subject === null ? null : parse("subject", template.subject);
  const body = parse("body", template.body);
  if (!template.html) return { subject, html: null, text: body };
  const html = placedInHtml(body, (message) => fault("body", message));
  const text = template.textBody === null ? textOfHtml(body) : parse("textBody", template.textBody);
  return { subject, html, text };
}

/** Reports each body in which a reader does not see the placeholder that the message exists for. */
export function expectNeeds(key: TemplateKey, { html, text }: CompiledTemplate, hasTextBody: boolean, fault: TemplateFault): void {
  const { needs = [] } = entryOf(key);
  const expectIn = (field: "body" | "textBody", parts: readonly Part[]) => {
    const isThere = parts.some((part) => typeof part === "object" && needs.some((name) => name === part.name));
    if (!isThere) fault(field, `it lacks ${needs.map((name) => `{{${name}}}`).join(" or ")}, which the recipient needs`);
  };
  if (needs.length === 0) return;
  expectIn("body", html ? textOfHtml(html) : text);
  if (hasTextBody) expectIn("textBody", text);
}

const MAX_SUBJECT = 255;
const MAX_VALUE = 4_096;
/** The characters of all values in one part of a message. A template may name thousands, and an attribute of a user may be a list of long texts. */
const MAX_VALUES = 256 * 1024;
/** The values without which the message is of no use. */
const NEEDED: ReadonlySet<string> = new Set(["code", "link"]);

export function renderTemplate({ subject, html, text }: CompiledTemplate, values: Values, brand: MailBrand = NO_BRAND): Rendered {
  const short = new Map<string, string>();
  const shortened: Values = (name) => {
    const value = short.get(name) ?? cut(brand.values[name] ?? values(name), MAX_VALUE);
    short.set(name, value);
    return value;
  };
  const limited = (): Values => {
    let left = MAX_VALUES;
    return (name) => {
      const value = shortened(name);
      left -= value.length;
      return left >= 0 || NEEDED.has(name) ? value : "";
    };
  };
  return {
    subject: subject && cutSubject(renderText(subject, limited())),
    html: html && renderHtml(html, limited(), brand.mark),
    text: renderText(text, limited()),
  };
}

const cutSubject = (subject: string): string => {
  const line = subject.replace(/\s+/g, " ").trim();
  return line.length <= MAX_SUBJECT ? line : `${line.slice(0, MAX_SUBJECT - 1).toWellFormed()}…`;
};

const http = /^https?:\/\//i;

/** Tells whether a link leads to a page. Messages contain no other addresses. */
export const isPageAddress = (link: string): boolean => http.test(link) && URL.canParse(link) && !/[\s\p{Cc}]/u.test(link);

export interface MessageUser {
  readonly id: string;
  readonly username: string;
  readonly email: string | null;
  /** True if the user has confirmed the address. */
  readonly emailVerified: boolean;
  readonly attributes: Readonly<Record<string, string | readonly string[]>>;
}

export interface MessageFacts {
  /** The realm's display name. */
  readonly realm: string;
  readonly user: MessageUser | null;
  readonly code?: string | undefined;
  readonly link?: string | undefined;
  readonly ttl?: string | undefined;
  readonly organization?: string | undefined;
  readonly agent?: string | undefined;
  readonly browser?: string | undefined;
  readonly address?: string | undefined;
  readonly time?: string | undefined;
}

/** Returns the value of each placeholder; unknown ones are empty. */
export const valuesOf =
  ({ user, ...facts }: MessageFacts): Values =>
  (name) => {
    if (name === "user") return user === null ? "" : nameOf(user);
    if (name.startsWith("user.")) return user === null ? "" : attributeOf(user, name.slice("user.".length));
    return facts[name as Exclude<keyof MessageFacts, "user">] ?? "";
  };

/** Returns the salutation: the name, if it is known. */
const nameOf = (user: MessageUser): string =>
  [attributeOf(user, "firstName"), attributeOf(user, "lastName")].filter((part) => part.trim() !== "").join(" ") || user.username;

function attributeOf(user: MessageUser, name: string): string {
  if (name === "username") return user.username;
  if (name === "email") return user.email ?? "";
  const value = Object.hasOwn(user.attributes, name) ? user.attributes[name] : undefined;
  return typeof value === "string" ? value : (value?.join(", ") ?? "");
}

/** Formats a time in the language of the message and in the user's time zone. Without a zone it is in UTC, and names it. */
export function timeText(at: number, locale: string, user: MessageUser | null): string {
  const zone = user && Object.hasOwn(user.attributes, "zoneinfo") ? String(user.attributes.zoneinfo) : "UTC";
  const format = (timeZone: string) =>
    new Intl.DateTimeFormat(locale, {
      ...{ weekday: "long", day: "numeric", month: "long", year: "numeric" },
      ...{ hour: "2-digit", minute: "2-digit", timeZone, timeZoneName: "short" },
    } as Intl.DateTimeFormatOptions).format(at);
  try {
    return format(zone);
  } catch {
    return format("UTC");
  }
}

const UNITS = [
  ["day", 86_400, 172_800],
  ["hour", 3_600, 7_200],
  ["minute", 60, 60],
  ["second", 1, 0],
] as const;

/** Formats a duration, such as “10 minutes”, in the language of the message. It is rounded down, so that it is never too long. */
export function ttlText(seconds: number, locale: string): string {
  const [unit, size] = UNITS.find(([, , from]) => seconds >= from) ?? UNITS[3];
  const count = Math.max(0, Math.floor(seconds / size));
  return new Intl.NumberFormat(locale, { style: "unit", unit, unitDisplay: "long" }).format(count);
}
