import Type from "typebox";
import type { FieldFault } from "../driver.ts";

export const urlText = Type.String({
  minLength: 1,
  maxLength: 2000,
  pattern: "^[^\\s\\p{C}]+$",
  description: "an https URL, without a user name or password in it",
  examples: ["https://gateway.example.com/messages"],
});

const TOKEN = "[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}";
/** Headers that only the driver sets: they decide how the request is framed, where it goes and who sends it. */
const RESERVED = new Set(
  `authorization connection content-encoding content-length content-type cookie expect host idempotency-key keep-alive
   proxy-authorization proxy-connection te trailer transfer-encoding upgrade`.split(/\s+/),
);

export const headerName = (description: string) => Type.String({ pattern: `^${TOKEN}$`, description });

/** The schema of headers, which contain no secrets. */
export const headerMap = Type.Unsafe<Record<string, string>>({
  type: "object",
  maxProperties: 20,
  propertyNames: { type: "string", pattern: `^${TOKEN}$`, description: "a header has a name of letters, digits and dashes" },
  additionalProperties: {
    type: "string",
    maxLength: 1000,
    pattern: "^[\\x21-\\x7e]([\\x20-\\x7e]*[\\x21-\\x7e])?$",
    description: "a header's value is one line of ASCII",
  },
  description: "Headers that are sent with every message. They must contain no secrets: these belong in `secret`",
  examples: [{ "X-Account": "acme" }],
});

export function headerFaults(headers: Readonly<Record<string, string>>, secretHeader: string | undefined): FieldFault[] {
  const reserved = (name: string) => RESERVED.has(name.toLowerCase());
  const faults = Object.keys(headers)
    .filter((name) => reserved(name) || name.toLowerCase() === secretHeader?.toLowerCase())
    .map((name) => ({ field: `config.headers.${name}`, message: `config.headers.${name} is set by the driver itself` }));
  if (secretHeader !== undefined && reserved(secretHeader))
    faults.push({
      field: "config.secretHeader",
      message: `config.secretHeader cannot be ${secretHeader}: the driver sets that header itself`,
    });
  return faults;
}

export const secretForHeader = (secret: string | null): FieldFault[] =>
  secret === null || /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(secret)
    ? []
    : [{ field: "secret", message: "secret is sent in a header: send one line of ASCII, without a space at either end" }];
