import { domainOfAddress, verifierOf } from "../../../directory/organizations/index.ts";
import { type AddressProof, isMailShaped } from "../../../directory/users/index.ts";
import { loginKey } from "../../../kernel/text.ts";
import type { ReadCtx } from "../../../platform/context.ts";
import type { Connection } from "../call.ts";
import { invalidValue } from "../errors.ts";
import type { UserFields } from "./mapping.ts";

type Names = Pick<UserFields, "username" | "email">;

/**
 * The word of a token about addresses. That of the realm's own counts, as an administrator's does. That of an organization counts in the domains
 * that it has verified, or where the token is trusted for addresses: another address is kept, but is no name to sign in by before its owner has
 * confirmed it, and a userName in the form of one is refused, because invitations and shares find users by it. Nothing is said about the domain of
 * another organization. Unchanged names stay.
 */
export async function proofOfNames(ctx: ReadCtx, connection: Connection, next: Names, current: Names | null): Promise<AddressProof> {
  if (connection.organizationId === null) return "given";
  const isNew = (member: keyof Names) => loginKey(next[member] ?? "") !== loginKey(current?.[member] ?? "");
  if (isNew("username") && isMailShaped(next.username) && !(await isTrusted(ctx, connection, "userName", next.username)))
    throw invalidValue("userName", "has the form of an address, in a domain that the organization has not verified");
  if (!isNew("email") || next.email === null) return "given";
  return (await isTrusted(ctx, connection, "emails", next.email)) ? "given" : "unconfirmed";
}

async function isTrusted({ tx, realm }: ReadCtx, connection: Connection, path: string, address: string): Promise<boolean> {
  const domain = domainOfAddress(loginKey(address));
  const verifier = domain === null ? null : await verifierOf(tx, realm, domain);
  if (verifier !== null && verifier !== connection.organizationId)
    throw invalidValue(path, `the domain ${domain} belongs to another organization`);
  return verifier !== null || connection.trustEmails;
}
