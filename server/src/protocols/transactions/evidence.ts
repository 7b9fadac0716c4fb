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

/** The signed evidence, verifiable with the realm's JWKS: user, payload hash and authentication level. */
export async function signEvidence(
  { clients, signingKeys, subjectOf, baseUrl }: EvidenceParts,
  realm: RealmSnapshot,
  transaction: Transaction,
  { acr, amr, at }: { readonly acr: string; readonly amr: readonly string[]; readonly at: number },
): Promise<string> {
  const client = await clients.get(realm.realmId, transaction.clientId);
  const signer = client && (await signingKeys.signer(realm.realmId, client.settings.idTokenAlg ?? realm.settings.tokens.signingAlg));
  // The client was deleted, and only it could use the signature.
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
