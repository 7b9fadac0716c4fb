import type { Clients } from "../../applications/clients/index.ts";
import { SECOND } from "../../kernel/clock.ts";
import type { SigningKeys } from "../../tenancy/keys/index.ts";
import type { RealmSnapshot } from "../../tenancy/realms/index.ts";
import { algOf, type createSubjectOf, issuerOf, signJwt } from "../tokens/index.ts";
import { transactionErrors } from "./errors.ts";
import type { Transaction } from "./schema.ts";

export interface EvidenceParts {
  readonly clients: Clients;
  readonly signingKeys: SigningKeys;
  readonly subjectOf: ReturnType<typeof createSubjectOf>;
  readonly baseUrl: string;
}

/** Signs the evidence, which the realm's JWKS verifies. It contains the user, the payload hash and the authentication level. */
export async function signEvidence(
  { clients, signingKeys, subjectOf, baseUrl }: EvidenceParts,
  realm: RealmSnapshot,
  transaction: Transaction,
  { acr, amr, at }: { readonly acr: string; readonly amr: readonly string[]; readonly at: number },
): Promise<string> {
  const client = await clients.get(realm.realmId, transaction.clientId);
  // The client was deleted, so nobody could use the signature.
  if (!client) throw transactionErrors.not_pending();
  const payload = {
    iss: issuerOf(baseUrl, realm.realmId),
    sub: await subjectOf(realm.realmId, client, transaction.userId),
    aud: transaction.clientId,
    // RFC 8417 §2.2 defines this claim.
    txn: transaction.id,
    type: transaction.type,
    summary: transaction.summary,
    payload_hash: transaction.payloadHash,
    payload_hash_alg: "sha-256",
    acr,
    amr,
    iat: Math.floor(at / SECOND),
    exp: Math.ceil(transaction.expiresAt / SECOND),
  };
  return signJwt({ signingKeys, realm }, algOf({ realm }, client, "idTokenAlg"), "tx+jwt", JSON.stringify(payload));
}
