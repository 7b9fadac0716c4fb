import { clock, MINUTE } from "../../../kernel/clock.ts";
import { randomToken, sha256 } from "../../../kernel/vault.ts";
import type { Db } from "../../../platform/db/index.ts";
import { takeRecord, writeRecord } from "../../tokens/index.ts";

const MODEL = "PostedRequest";
const LIFETIME = 2 * MINUTE;

/**
 * A form that another site posts arrives without our cookies, which are SameSite=Lax. It is kept for a moment, and the browser sent on to
 * where it brings them.
 */
export async function keepPosted(db: Db, realm: string, form: Readonly<Record<string, unknown>>): Promise<string> {
  const id = randomToken();
  await writeRecord(db, {
    ...{ realm, model: MODEL, recordId: sha256(id), grantId: null, clientId: null, userCode: null },
    payload: { params: form },
    expiresAt: clock.now() + LIFETIME,
  });
  return id;
}

/** As a query string; null when it was taken already, or is too old. */
export async function takePosted(db: Db, realm: string, id: string): Promise<string | null> {
  const record = await takeRecord(db, { realm, model: MODEL, recordId: sha256(id) }, clock.now());
  const { params } = record?.payload ?? {};
  return typeof params === "object" && params !== null ? queryOf(params as Readonly<Record<string, unknown>>) : null;
}

function queryOf(form: Readonly<Record<string, unknown>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(form))
    for (const each of Array.isArray(value) ? value : [value]) query.append(name, String(each));
  return query.toString();
}
