import { SECOND } from "../../kernel/clock.ts";
import { CLOCK_SKEW, type DataEncryptionAlgorithm, type SignatureAlgorithm } from "../../platform/saml/index.ts";
import type { ProviderSnapshot } from "../providers/provider.ts";

/** The protection of our messages, and the algorithms accepted from the provider. */
export interface SamlRules {
  /** By the type of the key that signs. Left out: RSA-SHA256, ECDSA-SHA256. */
  readonly signsWith?: { readonly rsa?: SignatureAlgorithm; readonly ec?: SignatureAlgorithm };
  /** KeyName instead of the certificate in the KeyInfo of messages. In metadata it stands beside the certificate. */
  readonly keyName?: string;
  /** Algorithms of the provider's signatures. Left out: everything that platform/saml knows. */
  readonly signatures?: readonly SignatureAlgorithm[];
  /** Algorithms of the provider's encryption. Left out: AES-GCM. AES-CBC counts only under a signature that was verified first. */
  readonly ciphers?: readonly DataEncryptionAlgorithm[];
  /** One of them has to be signed in any case. */
  readonly signedResponse: boolean;
  readonly signedAssertion: boolean;
  readonly encryptedAssertion: boolean;
}

/** By how much the clock of the provider may differ from ours. */
export const skewOf = ({ config }: Pick<ProviderSnapshot, "config">): number =>
  config.clockSkewSeconds === undefined ? CLOCK_SKEW : Number(config.clockSkewSeconds) * SECOND;
