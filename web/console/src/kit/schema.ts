/** The typed values of a form, by member. */
export type Draft = Readonly<Record<string, unknown>>;

/** The part of JSON Schema that the API's document uses. */
export interface Schema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly enum?: readonly (string | number | null)[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly if?: Schema;
  readonly then?: Schema;
  readonly additionalProperties?: boolean | Schema;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly description?: string;
  readonly default?: unknown;
  readonly format?: string;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly readOnly?: boolean;
  readonly writeOnly?: boolean;
}

/** The kind of control that edits a member. */
export type Kind =
  | { readonly kind: "text"; readonly long: boolean }
  | { readonly kind: "secret"; readonly long: boolean }
  | { readonly kind: "number" }
  /** A time in epoch milliseconds. */
  | { readonly kind: "time" }
  | { readonly kind: "boolean" }
  | { readonly kind: "choice"; readonly options: readonly (string | number)[] }
  | { readonly kind: "choices"; readonly options: readonly string[] }
  | { readonly kind: "texts" }
  | { readonly kind: "object"; readonly properties: Readonly<Record<string, Schema>> }
  | { readonly kind: "json" };

export interface Described {
  readonly kind: Kind;
  readonly nullable: boolean;
  readonly schema: Schema;
}

/** The names of texts with several lines. Any text that may be as long as a file is one as well. */
const LONG = /(description|text|css|certificate|body|template|eventTypes)$/i;
const FILE = 10_000;
/** Keys in PEM have several lines, which a field for passwords would join. */
const LONG_SECRET = /(private|client)Key$/i;
const SECRET = /^(secret|password|newPassword|adminPassword|passphrase|bindPassword|clientSecret)$|PrivateKey$/;

/** Tells whether a member is a secret or contains one. */
export function isSecret(name: string, schema: Schema | undefined): boolean {
  if (!schema) return false;
  const { kind } = describe(name, schema);
  if (kind.kind === "object") return Object.entries(kind.properties).some(([member, inner]) => isSecret(member, inner));
  return kind.kind === "secret" || name === "config";
}

/** Tells whether a record has a secret. The server says so in another member, and never returns the secret. */
export const isStored = (record: unknown, name: string): boolean =>
  (record as Readonly<Record<string, unknown>> | null)?.[`${name}Set`] === true;

/** Describes a member for the form. */
export function describe(name: string, schema: Schema): Described {
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives) {
    const rest = alternatives.filter(({ type }) => type !== "null");
    const nullable = rest.length < alternatives.length;
    const options = rest.map((one) => one.const);
    if (rest.length > 1 && options.every((one) => typeof one === "string"))
      return { kind: { kind: "choice", options: options as string[] }, nullable, schema };
    if (rest.length === 1) {
      const inner = describe(name, { ...rest[0]!, ...(schema.description !== undefined && { description: schema.description }) });
      return { ...inner, nullable: nullable || inner.nullable };
    }
    return { kind: { kind: "json" }, nullable, schema };
  }
  return { kind: kindOf(name, schema), nullable: false, schema };
}

function kindOf(name: string, schema: Schema): Kind {
  if (schema.enum) return { kind: "choice", options: schema.enum.filter((one) => one !== null) };
  switch (schema.type) {
    case "string":
      if (SECRET.test(name) || schema.writeOnly) return { kind: "secret", long: LONG_SECRET.test(name) };
      return { kind: "text", long: LONG.test(name) || (schema.maxLength ?? 0) >= FILE };
    case "integer":
      return { kind: name.endsWith("At") ? "time" : "number" };
    case "number":
      return { kind: "number" };
    case "boolean":
      return { kind: "boolean" };
    case "array": {
      const items = schema.items ?? {};
      if (items.enum) return { kind: "choices", options: items.enum.map(String) };
      return items.type === "string" ? { kind: "texts" } : { kind: "json" };
    }
    case "object":
      return schema.properties && Object.keys(schema.properties).length > 0
        ? { kind: "object", properties: schema.properties }
        : { kind: "json" };
    default:
      return { kind: "json" };
  }
}

const WORDS: Readonly<Record<string, string>> = {
  id: "ID",
  url: "URL",
  uri: "URI",
  uris: "URIs",
  urls: "URLs",
  dn: "DN",
  acr: "ACR",
  jwks: "JWKS",
  pkce: "PKCE",
  dpop: "DPoP",
  par: "PAR",
  ciba: "CIBA",
  mfa: "MFA",
  totp: "TOTP",
  css: "CSS",
  saml: "SAML",
  scim: "SCIM",
  tls: "TLS",
  ip: "IP",
  dns: "DNS",
  san: "SAN",
  sso: "SSO",
  slo: "SLO",
  otp: "OTP",
  sms: "SMS",
  idp: "IdP",
  alg: "algorithm",
  enc: "encryption",
  oidc: "OpenID Connect",
  qr: "QR",
  acs: "ACS",
  sp: "SP",
  ad: "AD",
  ldap: "LDAP",
  xml: "XML",
  nameid: "NameID",
  rp: "RP",
  ca: "CA",
  cbc: "CBC",
  loa: "LoA",
  amr: "AMR",
  sid: "SID",
  uid: "UID",
  uuid: "UUID",
};

/** `redirectUris` becomes "Redirect URIs". */
export function labelOf(name: string): string {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .split(/[\s_-]+/)
    .map((word) => WORDS[word.toLowerCase()] ?? word.toLowerCase());
  const text = words.join(" ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}
