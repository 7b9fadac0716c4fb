import { sql } from "kysely";
import { isCleanText } from "../../kernel/text.ts";
import { createRecordCache, type RealmChanges } from "../../platform/cache/index.ts";
import type { Db } from "../../platform/db/index.ts";
import { claimPath } from "../claims/index.ts";
import { credentials, matchKey, type WorkloadCredentialRow } from "./store.ts";

export type WorkloadCredential = WorkloadCredentialRow;

/** The credentials of all realms, as protocols use them. */
export interface WorkloadCredentials {
  /**
   * Returns the enabled credentials that match the issuer, audience and claims of this token, the one for its `sub` first. The token is not
   * verified yet.
   */
  find(realm: string, token: ClaimedIdentity): Promise<readonly WorkloadCredential[]>;
}

export interface ClaimedIdentity {
  readonly issuer: string;
  readonly audience: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

export function createWorkloadCredentials({ db, changes }: { readonly db: Db; readonly changes: RealmChanges }): WorkloadCredentials {
  const claimsOfIssuer = createRecordCache(changes, (realm, issuer) => loadClaims(db, realm, issuer));
  const byKey = createRecordCache(changes, (realm, key) => loadCredential(db, realm, key));
  return {
    async find(realm, { issuer, audience, payload }) {
      if (!isCleanText(issuer)) return [];
      const found: WorkloadCredential[] = [];
      for (const claim of (await claimsOfIssuer.get(realm, issuer)) ?? []) {
        const subject = valueAt(payload, claim);
        const credential = subject === null ? null : await byKey.get(realm, matchKey(issuer, claim, subject, audience));
        if (credential?.enabled) found.push(credential);
      }
      return found;
    },
  };
}

const configVersion = (realm: string) =>
  sql<number>`coalesce((select v.version from realm_versions v where v.realm_id = ${realm}), 0)::bigint`;

/** Loads the subject claims that an issuer's credentials use. */
async function loadClaims(db: Db, realm: string, issuer: string) {
  const { rows } = await sql<{ subject_claim: string; config_version: number }>`
    select distinct w.subject_claim, ${configVersion(realm)} as config_version
    from workload_credentials w where w.realm_id = ${realm} and w.issuer = ${issuer}`.execute(db);
  const [first] = rows;
  if (!first) return null;
  const isSub = (claim: string) => Number(claim === "sub");
  const record = rows.map(({ subject_claim }) => subject_claim).sort((a, b) => isSub(b) - isSub(a) || (a < b ? -1 : 1));
  return { record, configVersion: first.config_version };
}

async function loadCredential(db: Db, realm: string, key: string) {
  const versioned = credentials(db, realm).select(configVersion(realm).as("configVersion")).where("match_key", "=", key);
  const row = await versioned.executeTakeFirst();
  if (!row) return null;
  const { configVersion: version, ...record } = row;
  return { record, configVersion: version };
}

/** Returns the value of a claim as text, if it is a string, a boolean or an integer. Returns null otherwise. */
export function valueAt(payload: Readonly<Record<string, unknown>>, claim: string): string | null {
  let value: unknown = payload;
  for (const member of claimPath(claim) ?? []) {
    if (typeof value !== "object" || value === null || Array.isArray(value) || !Object.hasOwn(value, member)) return null;
    value = (value as Record<string, unknown>)[member];
  }
  if (typeof value === "string") return value;
  return typeof value === "boolean" || Number.isSafeInteger(value) ? String(value) : null;
}
