import { clock, MINUTE } from "../../../kernel/clock.ts";
import { randomToken, sha256 } from "../../../kernel/vault.ts";
import type { Db } from "../../../platform/db/index.ts";
import { takeRecord, writeRecord } from "../../tokens/index.ts";
import type { PendingRequest } from "./requests.ts";

const MODEL = "SamlRequest";
const LIFETIME = 2 * MINUTE;

/** A form of another site comes without our cookies, which are SameSite=Lax: the request is kept until the browser comes with them. */
export async function keepPosted(db: Db, realm: string, request: PendingRequest): Promise<string> {
  const id = randomToken();
  await writeRecord(db, {
    ...{ realm, model: MODEL, recordId: sha256(id), grantId: null, clientId: null, userCode: null },
    payload: { request },
    expiresAt: clock.now() + LIFETIME,
  });
  return id;
}

/** Null: it was taken already, or is too old. */
export async function takePosted(db: Db, realm: string, id: string): Promise<PendingRequest | null> {
  const record = await takeRecord(db, { realm, model: MODEL, recordId: sha256(id) }, clock.now());
  return (record?.payload.request as PendingRequest | undefined) ?? null;
}
