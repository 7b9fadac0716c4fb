import { SECOND } from "../../kernel/clock.ts";
import { CLOCK_SKEW, type DataEncryptionAlgorithm, type SignatureAlgorithm } from "../../platform/saml/index.ts";
import type { ProviderSnapshot } from "../providers/provider.ts";

/** The protection of our messages, and the algorithms accepted from the provider. */
export interface SamlRules {
  /** Our signature algorithm, by the type of the signing key. Default: RSA-SHA256 and ECDSA-SHA256. */
  readonly signsWith?: { readonly rsa?: SignatureAlgorithm; readonly ec?: SignatureAlgorithm };
  /** The KeyName in the KeyInfo of messages, instead of the certificate. Metadata contains both. */
  readonly keyName?: string;
  /** The accepted algorithms of the provider's signatures. Default: all that platform/saml knows. */
  readonly signatures?: readonly SignatureAlgorithm[];
  /** The accepted algorithms of the provider's encryption. Default: AES-GCM. AES-CBC counts only under a signature that was verified first. */
  readonly ciphers?: readonly DataEncryptionAlgorithm[];
  /** Even if both are false, either the Response or the assertion has to be signed. */
  readonly signedResponse: boolean;
  readonly signedAssertion: boolean;
  readonly encryptedAssertion: boolean;
}

/** Returns by how much the clock of the provider may differ from ours. */
export const skewOf = ({ config }: Pick<ProviderSnapshot, "config">): number =>
  config.clockSkewSeconds === undefined ? CLOCK_SKEW : Number(config.clockSkewSeconds) * SECOND;
