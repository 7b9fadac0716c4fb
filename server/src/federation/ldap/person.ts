import { hash } from "node:crypto";
import { isCleanText, isMailAddress, nameOf } from "../../kernel/text.ts";
import { entryId, type LdapEntry } from "../../platform/ldap/index.ts";
import type { Claims } from "../providers/mapping.ts";
import type { Config } from "../providers/provider.ts";

/** A person as an entry describes them. */
export interface Person {
  readonly subject: string;
  readonly dn: string;
  readonly username: string;
  readonly email: string | null;
  readonly firstName: string | null;
  readonly lastName: string | null;
  readonly enabled: boolean;
  /** The claims for mappers: attributes of the entry, and the groups of the person. */
  readonly claims: Claims;
  /** A hash of all members above. */
  readonly fingerprint: string;
}

/** The reason why an entry cannot be used, for an administrator. */
export interface EntryFault {
  readonly dn: string;
  readonly message: string;
}

export const isFault = (read: Person | EntryFault): read is EntryFault => "message" in read;

const NO_CLAIMS: Claims = {};
const MAX_NAME = 255;
const MAX_DN = 2_000;
/** AD: ACCOUNTDISABLE in userAccountControl. */
const ACCOUNT_DISABLED = 2;

/** The members of a config that name an attribute of people. */
export const PERSON_MEMBERS = ["idAttribute", "uidAttribute", "emailAttribute", "firstNameAttribute", "lastNameAttribute"] as const;

/** Returns the attributes to request from the directory. */
export const personAttributes = (config: Config): string[] => [
  ...new Set(PERSON_MEMBERS.map((member) => String(config[member]))),
  ...["userAccountControl", "nsAccountLock"],
];

export function readPerson(config: Config, entry: LdapEntry): Person | EntryFault {
  const [idAttribute, usernameAttribute] = [String(config.idAttribute), String(config.uidAttribute)];
  const dn = shownDn(entry.dn);
  const fault = (message: string): EntryFault => ({ dn, message });
  const subject = entryId(entry, idAttribute);
  if (subject === null) return fault(`The entry does not have exactly one ${idAttribute}, which identifies it.`);
  if (entry.dn.length > MAX_DN) return fault(`The distinguished name has more than ${MAX_DN} characters.`);
  const username = entry.text(usernameAttribute)?.trim() ?? "";
  if (username === "") return fault(`The entry has no ${usernameAttribute} for the username.`);
  if (!isName(username)) return fault(`${usernameAttribute} is not a valid username: it is too long or has control characters.`);
  // A user whose entry has no usable mail address has none. That prevents no one from signing in.
  const address = entry.text(String(config.emailAttribute))?.trim() ?? "";
  const email = isMailAddress(address) ? address : null;
  const named = (member: string) => nameOf(entry.text(String(config[member])));
  const [firstName, lastName, enabled] = [named("firstNameAttribute"), named("lastNameAttribute"), isEnabled(entry)];
  const values = [entry.dn, username, email, firstName, lastName, enabled, config.trustEmail === true];
  const fingerprint = hash("sha256", JSON.stringify(values), "base64url");
  return { subject, dn: entry.dn, username, email, firstName, lastName, enabled, claims: NO_CLAIMS, fingerprint };
}

/** Tells whether the account is enabled. AD says so by a bit of a number, 389 Directory Server and FreeIPA by a word. */
function isEnabled(entry: LdapEntry): boolean {
  const control = Number(entry.text("userAccountControl") ?? 0);
  return (control & ACCOUNT_DISABLED) === 0 && entry.text("nsAccountLock")?.toLowerCase() !== "true";
}

const isName = (text: string): boolean => text.length <= MAX_NAME && isCleanText(text) && !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text);

/** Returns a distinguished name for a report, without NUL and lone surrogates. */
export const shownDn = (dn: string): string => (isCleanText(dn) ? dn : dn.replaceAll("\0", "\ufffd").toWellFormed()).slice(0, 500);
