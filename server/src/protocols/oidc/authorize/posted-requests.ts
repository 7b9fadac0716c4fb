import { clock, MINUTE } from "../../../kernel/clock.ts";
import { invalidFields } from "../../../kernel/errors.ts";
import { randomToken, sha256 } from "../../../kernel/vault.ts";
import type { Db } from "../../../platform/db/index.ts";
import { refuseUnreadableParameters } from "../../../platform/http/index.ts";
import { assertMayBegin, type LimitParts } from "../../../signin/login/index.ts";
import { isReadable, takeRecord, writeRecord } from "../../tokens/index.ts";

const MODEL = "PostedRequest";
const LIFETIME = 2 * MINUTE;

interface PostedParts extends LimitParts {
  readonly db: Db;
}

/**
 * Stores the form of a cross-site POST, which has no SameSite=Lax cookies. The browser is then redirected to a GET, which sends the
 * cookies. Anyone can post a form, so the forms of each `address` are counted.
 */
export async function keepPosted(parts: PostedParts, form: Readonly<Record<string, unknown>>, address: string): Promise<string> {
  refuseUnreadableParameters(form);
  refuseUnsearchable(form);
  await assertMayBegin(parts, address);
  const id = randomToken();
  await writeRecord(parts.db, {
    ...{ realm: parts.realm.realmId, model: MODEL, recordId: sha256(id), grantId: null, clientId: null, userCode: null },
    payload: { params: form },
    expiresAt: clock.now() + LIFETIME,
  });
  return id;
}

/** Refuses a form whose text cannot be searched: it is stored for an anonymous caller, and has to be found when a user is erased. */
function refuseUnsearchable(form: Readonly<Record<string, unknown>>): void {
  const errors = Object.entries(form)
    .filter(([, value]) => !isReadable(value))
    .map(([field]) => ({ field, code: "too_deep", message: `${field} is nested too deeply, or too large` }));
  if (errors.length > 0) throw invalidFields(errors);
}

/** Returns the query string of a stored form. Returns null if it was taken already, or has expired. */
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
