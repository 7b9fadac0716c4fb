import type { IssuerParts } from "../parts.ts";

/** The administrator who acts as a user. */
export interface Impersonator {
  readonly realm: string;
  readonly userId: string;
  /** As in the audit trail. */
  readonly name: string;
}

export interface ImpersonatorColumns {
  impersonator: string | null;
  impersonator_id: string | null;
  impersonator_realm: string | null;
}

export const toImpersonator = (row: ImpersonatorColumns): Impersonator | null =>
  row.impersonator === null ? null : { realm: row.impersonator_realm!, userId: row.impersonator_id!, name: row.impersonator };

/** RFC 8693 §4.1. `iss` is added where the actor is a user of another realm (`master`). */
export function actOf({ issuer, realm }: IssuerParts, impersonator: Impersonator | null): Readonly<Record<string, unknown>> | undefined {
  if (!impersonator) return undefined;
  const act = { sub: impersonator.userId, preferred_username: impersonator.name };
  const realms = issuer.slice(0, -realm.realmId.length);
  return impersonator.realm === realm.realmId ? act : { ...act, iss: realms + impersonator.realm };
}
