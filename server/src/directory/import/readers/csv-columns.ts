import { AppError, type FieldError, invalidFields } from "../../../kernel/errors.ts";
import { cut } from "../../../kernel/text.ts";
import type { Fault } from "./rows.ts";

/** One column of a CSV. `put` writes its field into the row, or returns the reason why it cannot. */
export interface Column {
  put(row: Record<string, unknown>, field: string): Fault | null;
}
export type RowColumns = readonly Column[];

/** A user has a hundred attributes at most. */
const MOST_COLUMNS = 1000;
const LIST = "|";
const ATTRIBUTE = "attributes.";

type Read = (field: string) => { value: unknown } | { expected: string };
const asText: Read = (field) => ({ value: field });
const asList: Read = (field) => ({ value: field.split(LIST) });
const asTime: Read = (field) => {
  if (/^\d{1,16}$/.test(field)) return { value: Number(field) };
  return Number.isNaN(Date.parse(field)) ? { expected: "a time, such as 2026-01-31T12:00:00Z" } : { value: field };
};
/** A key in base32, as authenticator apps take it. */
export const TOTP_KEY = "^[A-Za-z2-7]{16,256}=*$";
const totpKey = new RegExp(TOTP_KEY);
const asKey: Read = (field) => (totpKey.test(field) ? { value: field } : { expected: "a key in base32 of at least 16 characters" });
const words = new Map([
  ...["true", "yes", "1"].map((word) => [word, true] as const),
  ...["false", "no", "0"].map((word) => [word, false] as const),
]);
const asBoolean: Read = (field) => {
  const value = words.get(field.toLowerCase());
  return value === undefined ? { expected: "true or false" } : { value };
};

/** Reads `shop/buyer`. The client id may contain slashes, too. */
const asClientRoles: Read = (field) => {
  const roles = field
    .split(LIST)
    .map((one) => ({ clientId: one.slice(0, one.lastIndexOf("/")), name: one.slice(one.lastIndexOf("/") + 1) }));
  return roles.every(({ clientId, name }) => clientId !== "" && name !== "") ? { value: roles } : { expected: "client/role" };
};
/** Reads `acme`, or `acme:admin` with the role in the organization. */
const asOrganizations: Read = (field) => ({
  value: field.split(LIST).map((one) => {
    const [alias, role] = one.split(":");
    return { alias, ...(role !== undefined && { role }) };
  }),
});

const known = new Map<string, Read>([
  ["username", asText],
  ["email", asText],
  ["emailVerified", asBoolean],
  ["enabled", asBoolean],
  ["locked", asBoolean],
  ["roles", asList],
  ["password", asText],
  ["passwordHash", asText],
  ["requiredActions", asList],
  ["createdAt", asTime],
  ["userId", asText],
  ["groups", asList],
  ["clientRoles", asClientRoles],
  ["organizations", asOrganizations],
  ["totpSecret", asKey],
]);

/** Names every column that is wrong, because people read the message before the list of fields. */
const refused = (errors: readonly FieldError[]) => {
  const faults = cut(errors.map(({ message }) => message).join(". "), 500);
  return new AppError("request.invalid", 400, `${faults}. Known columns: ${[...known.keys()].join(", ")}, attributes.<name>`, { errors });
};

/** Returns the columns of a header. An unknown column is refused before any row is read, because its data would be lost. */
export function columnsOf(header: readonly string[]): RowColumns {
  if (header.length > MOST_COLUMNS)
    throw invalidFields([{ field: "body", code: "header", message: `The header row has at most ${MOST_COLUMNS} columns` }]);
  const names = header.map((name) => name.trim());
  const faults: FieldError[] = [];
  const refuse = (name: string, code: string, why: string) => {
    const field = cut(name, 200);
    faults.push({ field, code, message: `The column “${field}” ${why}` });
  };
  const columns = names.map((name, index): Column => {
    if (names.indexOf(name) !== index) refuse(name, "repeated", "stands twice in the header");
    if (name.startsWith(ATTRIBUTE))
      return attributeColumn(name.slice(ATTRIBUTE.length), () => refuse(name, "unknown", "has no name that an attribute can have"));
    const read = known.get(name);
    if (name === "") refuse(String(index + 1), "unknown", "has no name");
    else if (!read) refuse(name, "unknown", "is not known");
    return memberColumn(name, read ?? asText);
  });
  if (!names.includes("username")) refuse("username", "required", "is missing in the header");
  if (faults.length > 0) throw refused(faults.slice(0, 200));
  return columns;
}

const memberColumn = (name: string, read: Read): Column => ({
  put(row, field) {
    const result = read(field);
    if ("expected" in result) return { code: "request.invalid", message: `${name} must be ${result.expected}` };
    if (name === "totpSecret") row.totp = { secret: result.value };
    else row[name] = result.value;
    return null;
  },
});

/** A column such as `attributes.department`: a text, or a list if it contains `|`. Formulas are text as well. */
function attributeColumn(name: string, refuse: () => void): Column {
  if (name === "" || name === "__proto__") refuse();
  return {
    put(row, field) {
      row.attributes ??= {};
      const attributes = row.attributes as Record<string, unknown>;
      attributes[name] = field.includes(LIST) ? field.split(LIST) : field;
      return null;
    },
  };
}
