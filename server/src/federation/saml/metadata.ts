import { clock, DAY } from "../../kernel/clock.ts";
import { sha256 } from "../../kernel/vault.ts";
import { BINDING, NAME_ID_FORMAT, render, signed, spMetadata } from "../../platform/saml/index.ts";
import type { ProviderSnapshot } from "../providers/provider.ts";
import { ciphersOf, encryptionCertificatesOf, keyEncryptionOf, signerOf, signingCertificatesOf } from "./keys.ts";
import type { SamlProfile } from "./profile.ts";
import { consumerOf, logoutServiceOf, type SamlTools, spEntityIdOf } from "./tools.ts";

const CACHE_SECONDS = 3_600;
const VALID = 365 * DAY;

/** SAML metadata §2.4.4: describes this realm as the service provider of one identity provider, signed by the key that signs its requests. */
export async function serviceProviderMetadata(profile: SamlProfile, provider: ProviderSnapshot, tools: SamlTools): Promise<string> {
  const { baseUrl, realms } = tools;
  const { config, realm } = provider;
  const rules = profile.rules(provider);
  const { sp: more, ...moreOfEntity } = profile.metadata?.(provider) ?? {};
  const [signing, encryption] = [await signingCertificatesOf(provider, tools), encryptionCertificatesOf(provider)];
  const location = consumerOf(baseUrl, provider);
  const consumers = config.responseBinding === "artifact" ? [BINDING.artifact, BINDING.post] : [BINDING.post, BINDING.artifact];
  const slo = logoutServiceOf(baseUrl, provider);
  const format = config.nameIdFormat as keyof typeof NAME_ID_FORMAT | "none" | undefined;
  const entity = {
    entityId: spEntityIdOf(baseUrl, provider),
    // Rounded to the day, so that every node writes the same document and the ETag stays the same.
    validUntil: Math.floor(clock.now() / DAY) * DAY + VALID,
    cacheDurationSeconds: CACHE_SECONDS,
    ...moreOfEntity,
    sp: {
      signingCertificates: signing,
      encryptionCertificates: encryption,
      encryptionMethods: encryption.length === 0 ? [] : [...ciphersOf(rules), ...keyEncryptionOf(provider)],
      nameIdFormats: format === undefined || format === "none" ? [] : [NAME_ID_FORMAT[format]],
      singleLogoutServices: [BINDING.redirect, BINDING.post, BINDING.soap].map((binding) => ({
        ...{ binding, location: slo, responseLocation: null },
      })),
      artifactResolutionServices: [],
      displayName: (await realms.get(realm))?.settings.displayName ?? null,
      authnRequestsSigned: config.signAuthnRequests !== false,
      wantAssertionsSigned: rules.signedAssertion,
      assertionConsumerServices: consumers.map((binding, index) => ({
        ...{ binding, location, responseLocation: null, index, isDefault: index === 0 },
      })),
      attributeConsumingServices: [],
      ...(rules.keyName !== undefined && { keyNames: Object.fromEntries(signing.map((each) => [each, rules.keyName!])) }),
      ...more,
    },
  };
  const document = spMetadata({ ...entity, id: `_${sha256(JSON.stringify(entity)).replace(/[^\w]/g, "").slice(0, 40)}` });
  // The signature of the metadata contains the certificate, even if messages name their key instead (eHerkenning).
  const { keyName: _, ...inMetadata } = rules;
  return `<?xml version="1.0" encoding="UTF-8"?>${render(await signed(document, await signerOf(provider, inMetadata, tools)))}`;
}
