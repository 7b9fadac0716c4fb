import type { ImportUser } from "../../../directory/import/index.ts";
import { defined, recordOf, textOf, textsOf, type Values } from "../reading.ts";
import type { Report } from "../report.ts";

const NAME = /^[A-Za-z0-9_.:-]{1,128}$/;
const MAX_VALUE = 4096;
const MAX_ATTRIBUTES = 100;

/** Returns attributes in the form that they have here: texts and lists of texts. Any other value becomes JSON; a value that does not fit is reported. */
export function attributesFrom(values: Values, report: Report, pattern: string, at: string): Record<string, string | string[]> {
  const found: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(values)) {
    const text = attributeOf(value);
    if (text === undefined) continue;
    const fits = NAME.test(name) && [text].flat().every((one) => one.length <= MAX_VALUE) && [text].flat().length <= 100;
    if (fits && Object.keys(found).length < MAX_ATTRIBUTES) found[name] = text;
    else report.unmapped(pattern, "Its name has other characters than letters, digits and _.:-, or its values are too long", at);
  }
  return found;
}

function attributeOf(value: unknown): string | string[] | undefined {
  if (typeof value === "boolean") return String(value);
  const text = textOf(value);
  if (text !== undefined) return text;
  if (Array.isArray(value) && value.every((one) => textOf(one) !== undefined)) return value.length === 0 ? undefined : textsOf(value);
  return typeof value === "object" && value !== null && Object.keys(value).length > 0 ? JSON.stringify(value) : undefined;
}

/** Returns the members of an object with prefixed names, such as `user_metadata.plan`. */
export const prefixed = (prefix: string, value: unknown): Values =>
  Object.fromEntries(Object.entries(recordOf(value)).map(([name, member]) => [`${prefix}.${name}`, member]));

/** Returns a time in epoch milliseconds, at most `now`, from any form that systems write. */
export function timeOf(value: unknown, now: number): number | undefined {
  const time =
    typeof value === "number"
      ? value
      : typeof value === "string"
        ? /^\d{10,}$/.test(value)
          ? Number(value)
          : Date.parse(value)
        : Number.NaN;
  return Number.isFinite(time) && time >= 0 ? Math.min(Math.floor(time), now) : undefined;
}

/** The attribute that keeps ids that are not UUIDs. Clients can have it as `sub`. */
export const LEGACY = "legacySubject";
export const proposeSubject = (report: Report): void =>
  report.choice(
    `Ids of users are no UUIDs. They are in the attribute ${LEGACY}: where applications know users by them, let \`sub\` be that attribute (subjectClaim of the client or the realm)`,
  );

export const NO_PASSWORDS =
  "The file has no passwords of some users: they reset them by mail, or a password source asks the other system at the first sign-in (docs/import.md)";

/** Names of providers in other systems, with our protocols, which are the usual aliases. */
const PROVIDERS: Readonly<Record<string, string>> = {
  ...{
    "google-oauth2": "google",
    "google.com": "google",
    google: "google",
    "github.com": "github",
    github: "github",
    facebook: "facebook",
    "facebook.com": "facebook",
  },
  ...{
    "apple.com": "apple",
    apple: "apple",
    windowslive: "microsoft",
    "microsoft.com": "microsoft",
    azure: "microsoft",
    linkedin: "linkedin",
    linkedin_oidc: "linkedin",
  },
  ...{ gitlab: "gitlab", discord: "discord" },
};
export const aliasOf = (provider: string): string => (Object.hasOwn(PROVIDERS, provider) ? PROVIDERS[provider]! : provider);

/** Returns a TOTP key as a credential of a row. */
export const totpCredential = (key: Buffer, data: object = {}): NonNullable<ImportUser["credentials"]>[number] => ({
  type: "totp",
  secret: key.toString("base64url"),
  data: { algorithm: "SHA1", digits: 6, period: 30, ...data },
});

/** Returns a row with those of the members that have a value. */
export const rowOf = (username: string, members: { readonly [M in keyof ImportUser]?: ImportUser[M] | undefined }): ImportUser => ({
  username,
  ...(defined(members) as Partial<ImportUser>),
});
