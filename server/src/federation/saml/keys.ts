import type { KeyObject } from "node:crypto";
import {
  DATA_ENCRYPTION,
  type Decryption,
  KEY_AGREEMENT,
  KEY_TRANSPORT,
  KEY_WRAP,
  SIGNATURE_ALGORITHM,
  type SigningKey,
  signingKey,
  verificationKey,
} from "../../platform/saml/index.ts";
import { samlSigningKey } from "../../tenancy/keys/index.ts";
import { UpstreamError } from "../oidc/metadata.ts";
import type { ProviderSnapshot } from "../providers/provider.ts";
import { fits, privateKeyOf } from "./members.ts";
import type { SamlRules } from "./rules.ts";
import { type SamlTools, spEntityIdOf } from "./tools.ts";

interface OwnKeys {
  readonly signing: KeyObject | null;
  readonly decryption: KeyObject | null;
}

/** The keys are read once for each version of a provider. */
const opened = new WeakMap<ProviderSnapshot, OwnKeys>();
function ownKeys(provider: ProviderSnapshot): OwnKeys {
  const known = opened.get(provider);
  if (known) return known;
  const { spSigningPrivateKey: signing, spDecryptionPrivateKey: decryption } = provider.secrets;
  const keys = {
    signing: signing === undefined ? null : privateKeyOf(signing),
    decryption: decryption === undefined ? null : privateKeyOf(decryption),
  };
  opened.set(provider, keys);
  return keys;
}

/** Returns the DER form of a configured certificate, in base64. */
export const derOf = (certificate: unknown): string | null =>
  typeof certificate === "string" ? verificationKey(certificate).certificate : null;

const EC_ALGORITHM = { prime256v1: SIGNATURE_ALGORITHM.ES256, secp384r1: SIGNATURE_ALGORITHM.ES384, secp521r1: SIGNATURE_ALGORITHM.ES512 };

/** Returns the signing key: the provider's own if it has one, otherwise the realm's. */
export async function signerOf(provider: ProviderSnapshot, rules: SamlRules, tools: SamlTools): Promise<SigningKey> {
  const { signing } = ownKeys(provider);
  const named = (key: SigningKey): SigningKey =>
    rules.keyName === undefined ? key : { ...key, certificate: null, keyName: rules.keyName };
  if (signing) {
    const curve = signing.asymmetricKeyDetails?.namedCurve as keyof typeof EC_ALGORITHM | undefined;
    const algorithm =
      signing.asymmetricKeyType === "rsa"
        ? (rules.signsWith?.rsa ?? SIGNATURE_ALGORITHM.RS256)
        : (rules.signsWith?.ec ?? EC_ALGORITHM[curve ?? "prime256v1"]);
    return named(signingKey(signing, algorithm, derOf(provider.config.spSigningCertificate)));
  }
  const alg = rules.signsWith?.rsa === SIGNATURE_ALGORITHM.PS256 ? "PS256" : "RS256";
  const key = await samlSigningKey(tools, provider.realm, alg);
  if (!key) throw new UpstreamError("configuration", "The realm has no key that signs.");
  return named(key);
}

/** Returns the certificates of the signing keys, the current one first. The provider keeps earlier ones until they are deleted. */
export async function signingCertificatesOf(provider: ProviderSnapshot, { realms }: SamlTools): Promise<string[]> {
  const own = derOf(provider.config.spSigningCertificate);
  if (ownKeys(provider).signing && own !== null) return [own];
  return (await realms.get(provider.realm))?.keys.map(({ certificate }) => certificate) ?? [];
}

/** Returns the certificates that the provider may encrypt with. If there are none, it encrypts nothing, or it got the certificate elsewhere. */
export function encryptionCertificatesOf(provider: ProviderSnapshot): string[] {
  const { decryption } = ownKeys(provider);
  const { spDecryptionCertificate, spSigningCertificate } = provider.config;
  if (!decryption) return [];
  const certificate = spDecryptionCertificate ?? (fits(spSigningCertificate, decryption) ? spSigningCertificate : undefined);
  const der = derOf(certificate);
  return der === null ? [] : [der];
}

/** Returns the algorithms for the data key, by the type of our own key. */
export const keyEncryptionOf = (provider: ProviderSnapshot): readonly string[] =>
  ownKeys(provider).decryption?.asymmetricKeyType === "ec"
    ? [KEY_AGREEMENT, KEY_WRAP.aes256, KEY_WRAP.aes128]
    : [KEY_TRANSPORT.mgf1p, KEY_TRANSPORT.oaep];

const GCM = [DATA_ENCRYPTION.aes256gcm, DATA_ENCRYPTION.aes192gcm, DATA_ENCRYPTION.aes128gcm];
const CBC: readonly string[] = [DATA_ENCRYPTION.aes256cbc, DATA_ENCRYPTION.aes192cbc, DATA_ENCRYPTION.aes128cbc];

export const ciphersOf = ({ ciphers = GCM }: SamlRules) => ciphers;

export function decryptionOf(provider: ProviderSnapshot, rules: SamlRules, { baseUrl }: SamlTools): Decryption | undefined {
  const { decryption } = ownKeys(provider);
  if (!decryption) return undefined;
  const ciphers = ciphersOf(rules);
  const allowCbc = ciphers.some((cipher) => CBC.includes(cipher));
  return { keys: [decryption], recipient: spEntityIdOf(baseUrl, provider), allowCbc, ciphers };
}
