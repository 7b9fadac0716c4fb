import type { SamlClientSnapshot } from "../../../applications/saml-clients/index.ts";
import { type DataEncryptionAlgorithm, KEY_TRANSPORT, type Recipient, verificationKey } from "../../../platform/saml/index.ts";
import { Refusal } from "../refusals.ts";

const known = new WeakMap<SamlClientSnapshot, Recipient>();

/** For whom an assertion is encrypted; null: it is not. Reading a certificate takes longer than using its key. */
export function recipientOf(client: SamlClientSnapshot): Recipient | null {
  if (!client.options.encryptAssertion) return null;
  const recipient = known.get(client) ?? makeRecipient(client);
  known.set(client, recipient);
  return recipient;
}

function makeRecipient({ entityId, encryptionCertificate, options }: SamlClientSnapshot): Recipient {
  // The realm may have begun to want encryption after the client was saved: nothing is sent in the open instead.
  if (encryptionCertificate === null) throw new Refusal("encryption_certificate", "There is no certificate to encrypt for", entityId);
  return {
    key: verificationKey(encryptionCertificate).key,
    entityId,
    ...(options.encryptionAlgorithm !== null && { algorithm: options.encryptionAlgorithm as DataEncryptionAlgorithm }),
    ...(options.keyTransportAlgorithm === KEY_TRANSPORT.oaep && { keyTransport: { algorithm: "oaep", digest: "sha256" } as const }),
  };
}
