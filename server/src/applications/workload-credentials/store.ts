import { type ColumnType, type Generated, sql } from "kysely";
import { isId, newId } from "../../kernel/ids.ts";
import { sha256 } from "../../kernel/vault.ts";
import { type Db, deleteRows, insertRow, nameStartsWith, nextVersion, type Tx, translating, updateRows } from "../../platform/db/index.ts";
import { listOrder, type Page, pageOf } from "../../platform/paging/index.ts";
import { workloadErrors } from "./errors.ts";
import type { WorkloadCredential, WorkloadQuery } from "./schema.ts";

interface WorkloadCredentialsTable {
  realm_id: string;
  id: string;
  name: string;
  issuer: string;
  jwks_uri: string | null;
  jwks: ColumnType<WorkloadCredential["jwks"], string | null, string | null>;
  subject: string;
  subject_claim: string;
  conditions: ColumnType<WorkloadCredential["conditions"], string, string>;
  audience: string;
  match_key: string;
  client_id: string;
  scopes: string;
  max_token_seconds: number;
  single_use: boolean;
  enabled: boolean;
  created_at: number;
  version: Generated<number>;
}

declare module "../../platform/db/tables.ts" {
  interface Tables {
    workload_credentials: WorkloadCredentialsTable;
  }
}

export interface WorkloadCredentialRow extends WorkloadCredential {
  readonly version: number;
}

const columns = [
  "realm_id as realmId",
  "id",
  "name",
  "issuer",
  "jwks_uri as jwksUri",
  "jwks",
  "subject",
  "subject_claim as subjectClaim",
  "conditions",
  "audience",
  "scopes",
  "max_token_seconds as maxTokenSeconds",
  "single_use as singleUse",
  "enabled",
  "created_at as createdAt",
  "version",
] as const;
/** The OAuth client id. */
const clientName = sql<string>`(select c.client_id from clients c
  where c.realm_id = workload_credentials.realm_id and c.id = workload_credentials.client_id)`;

/** Returns the unique key of a credential, so that a token never stands for two clients by the same claim. */
export const matchKey = (issuer: string, subjectClaim: string, subject: string, audience: string): string =>
  sha256(JSON.stringify([issuer, subjectClaim, subject, audience]));

const order = listOrder("name", { name: sql`lower(name)`, createdAt: "created_at" }, "id");

export const credentials = (db: Db, realm: string) =>
  db.selectFrom("workload_credentials").select(columns).select(clientName.as("clientId")).where("realm_id", "=", realm);

export async function listCredentials(db: Db, realm: string, query: WorkloadQuery): Promise<Page<WorkloadCredentialRow>> {
  const { search, clientId } = query;
  const base = credentials(db, realm)
    .$if(clientId !== undefined, (q) =>
      q.where("client_id", "=", sql<string>`(select c.id from clients c where c.realm_id = ${realm} and c.client_id = ${clientId})`),
    )
    .$if(search !== undefined && search !== "", (q) =>
      q.where((eb) =>
        eb.or([nameStartsWith("name", search!), eb("issuer", "=", search!), ...(isId(search!) ? [eb("id", "=", search!)] : [])]),
      ),
    );
  return pageOf(db, base, order, query);
}

/** `isHeld`: until commit, for a change. */
export async function findCredential(db: Db, realm: string, id: string, isHeld = false): Promise<WorkloadCredentialRow | null> {
  const found = credentials(db, realm).where("id", "=", id);
  return (await found.$if(isHeld, (q) => q.forUpdate()).executeTakeFirst()) ?? null;
}

export type CredentialState = Omit<WorkloadCredential, "id" | "realmId" | "clientId" | "createdAt"> & {
  /** The client's `id`. */
  readonly client: string;
};

const columnsOf = (state: CredentialState) => ({
  name: state.name,
  issuer: state.issuer,
  jwks_uri: state.jwksUri,
  jwks: state.jwks === null ? null : JSON.stringify(state.jwks),
  subject: state.subject,
  subject_claim: state.subjectClaim,
  conditions: JSON.stringify(state.conditions),
  audience: state.audience,
  match_key: matchKey(state.issuer, state.subjectClaim, state.subject, state.audience),
  client_id: state.client,
  scopes: state.scopes,
  max_token_seconds: state.maxTokenSeconds,
  single_use: state.singleUse,
  enabled: state.enabled,
});

const taken = {
  workload_credentials_name_taken: workloadErrors.name_taken,
  workload_credentials_match_taken: workloadErrors.match_taken,
};

export async function insertCredential(tx: Tx, realm: string, state: CredentialState, now: number): Promise<string> {
  const id = newId();
  const row = { realm_id: realm, id, ...columnsOf(state), created_at: now };
  await translating(taken, insertRow(tx, "workload_credentials", row));
  return id;
}

export async function updateCredential(tx: Tx, realm: string, id: string, state: CredentialState): Promise<void> {
  await translating(taken, updateRows(tx, "workload_credentials", { realm_id: realm, id }, { ...columnsOf(state), version: nextVersion }));
}

export async function deleteCredential(tx: Tx, realm: string, id: string): Promise<void> {
  await deleteRows(tx, "workload_credentials", { realm_id: realm, id });
}
