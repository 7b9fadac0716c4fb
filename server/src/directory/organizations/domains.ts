import { type FieldError, invalidFields } from "../../kernel/errors.ts";
import { asciiDomain } from "../../kernel/text.ts";
import type { OrganizationDomain } from "./schema.ts";

/** The columns of a domain that are shown. */
export interface DomainRow {
  readonly organization_id: string;
  readonly domain: string;
  readonly verified: boolean;
  readonly verified_by: string | null;
  readonly token: string;
  readonly missing_since: number | null;
}

/** The DNS record that proves a domain. It has a name of its own, apart from the records of other programs. */
export const recordOf = ({ domain, token }: Pick<DomainRow, "domain" | "token">) => ({
  recordName: `_gatehouse.${domain}`,
  recordValue: `gatehouse-domain-verification=${token}`,
});

export const shownDomain = (row: DomainRow): OrganizationDomain => ({
  domain: row.domain,
  verified: row.verified,
  verification: {
    method: row.verified ? (row.verified_by === "dns" ? "dns" : "admin") : null,
    ...recordOf(row),
    missingSince: row.verified ? row.missing_since : null,
  },
});

/** Returns the domain of a mail address, or null if it is none. The last @ counts: the part before it may contain others in quotes. */
export const domainOfAddress = (address: string): string | null => {
  const at = address.lastIndexOf("@");
  return at < 1 ? null : normalDomain(address.slice(at + 1));
};

export interface Domain {
  readonly domain: string;
  readonly verified: boolean;
}

// Checked before IDNA: the URL parser behind it would cut at a slash, undo percent-encoding and read 0x7f.1 as an address.
const TYPED = /^[\p{L}\p{N}]([\p{L}\p{M}\p{N}-]*[\p{L}\p{M}\p{N}])?(\.[\p{L}\p{N}]([\p{L}\p{M}\p{N}-]*[\p{L}\p{M}\p{N}])?)+$/u;
// RFC 1123 §2.1 with RFC 1034 §3.1: two labels or more of up to 63 letters, digits and hyphens; the last one begins with a letter.
const LABEL = "[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?";
const WRITTEN = new RegExp(`^(${LABEL}\\.)+(?=[a-z])${LABEL}$`);

/** Returns the domain as it is compared and stored: lower case, in ASCII (UTS #46), without the root's dot. Returns null if it is not a domain. */
export function normalDomain(text: string): string | null {
  const typed = text.trim().replace(/\.$/, "");
  if (!TYPED.test(typed)) return null;
  const domain = asciiDomain(typed);
  return domain.length <= 253 && WRITTEN.test(domain) ? domain : null;
}

/** Returns the domains in normal form, sorted. A text that is not a domain, or is repeated, is an error of its field. */
export function normalDomains(given: readonly { readonly domain: string; readonly verified?: boolean }[]): Domain[] {
  const faults: FieldError[] = [];
  const known = new Map<string, Domain>();
  for (const [index, { domain: text, verified = false }] of given.entries()) {
    const field = `domains.${index}.domain`;
    const domain = normalDomain(text);
    if (domain === null) faults.push({ field, code: "domain", message: `${field} is not a domain name such as example.com` });
    else if (known.has(domain)) faults.push({ field, code: "duplicate", message: `${field}: ${domain} is listed twice` });
    else known.set(domain, { domain, verified });
  }
  if (faults.length > 0) throw invalidFields(faults);
  return [...known.values()].sort((a, b) => (a.domain < b.domain ? -1 : 1));
}
