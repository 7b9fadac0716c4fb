import { clock, MINUTE } from "../../kernel/clock.ts";
import { randomToken, sha256 } from "../../kernel/vault.ts";
import type { Db } from "../../platform/db/index.ts";
import { findRecord, type StoredRecord, writeRecord } from "../tokens/index.ts";

const MODEL = "PermissionTicket";
const LIFETIME = 5 * MINUTE;

/** The content of a permission ticket (UMA 2.0 Grant §3.2). */
export interface TicketContents {
  /** The resources by id. A permission without scopes is for all of them. */
  readonly permissions: readonly { readonly resource: string; readonly scopes: readonly string[] }[];
  /** The resource server's claims about the request, which are `request.*` of policies. */
  readonly claims: Readonly<Record<string, unknown>>;
}

export interface PresentedTicket {
  readonly record: StoredRecord & { readonly model: string };
  /** The client id of the resource server that requested the ticket. */
  readonly clientId: string;
  readonly contents: TicketContents;
}

/** Issues a random ticket. It is stored as a hash, used once, and deleted with the resource server. */
export async function issueTicket(
  db: Db,
  { realm, clientId }: { readonly realm: string; readonly clientId: string },
  contents: TicketContents,
): Promise<string> {
  const ticket = randomToken();
  const payload = { kind: MODEL, clientId, ticket: contents };
  const expiresAt = clock.now() + LIFETIME;
  await writeRecord(db, { realm, model: MODEL, recordId: sha256(ticket), payload, grantId: null, clientId, userCode: null, expiresAt });
  return ticket;
}

/** Finds a ticket. Returns null if it is unknown, expired or used. */
export async function findTicket(db: Db, realm: string, ticket: string): Promise<PresentedTicket | null> {
  const record = await findRecord(db, { realm, model: MODEL, recordId: sha256(ticket) }, clock.now());
  if (!record || record.consumedAt !== null) return null;
  const { clientId, ticket: contents } = record.payload as unknown as { clientId: string; ticket: TicketContents };
  return { record: { ...record, model: MODEL }, clientId, contents };
}
