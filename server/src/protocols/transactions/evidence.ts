import type { Clients } from "../../applications/clients/index.ts";
import { SECOND } from "../../kernel/clock.ts";
import type { SigningKeys } from "../../tenancy/keys/index.ts";
import type { RealmSnapshot } from "../../tenancy/realms/index.ts";
import { type createSubjectOf, issuerOf } from "../tokens/index.ts";
import { transactionErrors } from "./errors.ts";
import type { Transaction } from "./schema.ts";

export interface EvidenceParts {
  readonly clients: Clients;
  readonly signingKeys: SigningKeys;
  readonly subjectOf: ReturnType<typeof createSubjectOf>;
  readonly baseUrl: string;
}

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");

/** What a third party verifies with the realm's JWKS: that this user signed this, and how sure it was. */
export async function signEvidence(
  { clients, signingKeys, subjectOf, baseUrl }: EvidenceParts,
  realm: RealmSnapshot,
  transaction: Transaction,
  { acr, amr, at }: { readonly acr: string; readonly amr: readonly string[]; readonly at: number },
): Promise<string> {
  const client = await clients.get(realm.realmId, transaction.clientId);
  const signer = client && (await signingKeys.signer(realm.realmId, client.settings.idTokenAlg ?? realm.settings.tokens.signingAlg));
  // The application that asked is gone, and with it the only party that could use the signature.
  if (!client || !signer) throw transactionErrors.not_pending();
  const head = encode({ alg: signer.alg, kid: signer.kid, typ: "tx+jwt" });
  const body = encode({
    iss: issuerOf(baseUrl, realm.realmId),
    sub: await subjectOf(realm.realmId, client, transaction.userId),
    aud: transaction.clientId,
    // RFC 8417 §2.2
    txn: transaction.id,
    type: transaction.type,
    summary: transaction.summary,
    payload_hash: transaction.payloadHash,
    payload_hash_alg: "sha-256",
    acr,
    amr,
    iat: Math.floor(at / SECOND),
    exp: Math.ceil(transaction.expiresAt / SECOND),
  });
  const signature = await signer.sign(Buffer.from(`${head}.${body}`));
  return `${head}.${body}.${signature.toString("base64url")}`;
}
