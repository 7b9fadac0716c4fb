import { domainOfAddress, verifierOf } from "../../../directory/organizations/index.ts";
import { type AddressProof, isMailShaped } from "../../../directory/users/index.ts";
import { loginKey } from "../../../kernel/text.ts";
import type { ReadCtx } from "../../../platform/context.ts";
import type { Connection } from "../call.ts";
import { invalidValue } from "../errors.ts";
import type { UserFields } from "./mapping.ts";

type Names = Pick<UserFields, "username" | "email">;

/**
 * Returns how far a token is trusted about addresses. A token of the realm is trusted like an administrator. A token of an organization is
 * trusted in the domains that the organization has verified, or if it is trusted for addresses. Another address is kept, but is no login
 * name until its owner has confirmed it, and a userName in the form of one is refused, because invitations and shares find users by it. The
 * error does not mention another organization's domain. Unchanged names remain.
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
