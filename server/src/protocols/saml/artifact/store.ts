import { clock, MINUTE } from "../../../kernel/clock.ts";
import { sha256, type Vault } from "../../../kernel/vault.ts";
import type { Db } from "../../../platform/db/index.ts";
import { type Fragment, newArtifact, restored, stored } from "../../../platform/saml/index.ts";
import { takeRecord, writeRecord } from "../../tokens/index.ts";

const MODEL = "SamlArtifact";
/** The lifetime of a message, which the service provider resolves at once. */
const LIFETIME = MINUTE;

/** The service provider that an artifact belongs to. Another one that presents it finds and consumes nothing. */
interface Place {
  readonly realm: string;
  readonly entityId: string;
}

const recordIdOf = (artifact: string, { entityId }: Place): string => sha256(`${artifact}\n${entityId}`);
const sealedIn = (realm: string, recordId: string) => ({ realm, table: "oidc_records", column: "payload", row: recordId });

/** Stores a message and returns its artifact. The message is sealed, because it identifies the user. */
export async function keepMessage(db: Db, vault: Vault, place: Place, issuer: string, message: Fragment): Promise<string> {
  const artifact = newArtifact(issuer, 0);
  const recordId = recordIdOf(artifact, place);
  await writeRecord(db, {
    ...{ realm: place.realm, model: MODEL, recordId, grantId: null, clientId: null, userCode: null },
    payload: { message: vault.seal(stored(message), sealedIn(place.realm, recordId)) },
    expiresAt: clock.now() + LIFETIME,
  });
  return artifact;
}

/** Takes a message. Only one of concurrent callers gets it. */
export async function takeMessage(db: Db, vault: Vault, place: Place, artifact: string): Promise<Fragment | null> {
  const recordId = recordIdOf(artifact, place);
  const record = await takeRecord(db, { realm: place.realm, model: MODEL, recordId }, clock.now());
  const message = record?.payload.message;
  return typeof message === "string" ? restored(vault.open(message, sealedIn(place.realm, recordId))) : null;
}
