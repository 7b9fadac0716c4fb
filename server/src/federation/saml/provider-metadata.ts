import { clock } from "../../kernel/clock.ts";
import { type Outbound, urlFaults } from "../../platform/outbound/index.ts";
import {
  BINDING,
  type EntityMetadata,
  METADATA_BYTES,
  readMetadata,
  SamlError,
  type SignatureAlgorithm,
  type VerificationKey,
  verificationKey,
} from "../../platform/saml/index.ts";
import { callProvider, hostOf, UpstreamError } from "../oidc/metadata.ts";
import type { Config, ReadMetadata } from "../providers/provider.ts";

/** The endpoints and keys of a SAML identity provider, from its configuration and its metadata. */
export interface SamlUpstream {
  readonly entityId: string;
  readonly keys: readonly VerificationKey[];
  readonly sso: { readonly binding: "redirect" | "post"; readonly location: string };
  /** Null if the provider has no logout endpoint with a binding that we support. */
  readonly slo: { readonly binding: "redirect" | "post"; readonly location: string; readonly responseLocation: string } | null;
  /** Returns the address for an index, or null. A configured address serves every index. */
  artifactResolution(index: number): string | null;
}

const PEM = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g;

/** Returns one certificate or several: from PEM blocks in one text, from the base64 of one DER form, or from a list of these. */
export const certificatesIn = (value: unknown): string[] =>
  (Array.isArray(value) ? value : value === undefined ? [] : [value]).flatMap((text) => String(text).match(PEM) ?? [String(text)]);

const pinnedKeys = (config: Config): VerificationKey[] =>
  certificatesIn(config.metadataSigningCertificate).map((certificate) => verificationKey(certificate));

/** Reads the metadata of an identity provider. Throws a SamlError. */
export function readProviderMetadata(bytes: Uint8Array, config: Config, now = clock.now()): ReadMetadata {
  const entityId = typeof config.idpEntityId === "string" ? { entityId: config.idpEntityId } : {};
  const metadata = readMetadata(bytes, { now, role: "idp", keys: pinnedKeys(config), ...entityId });
  if (!metadata.idp) throw new SamlError("metadata", "The metadata describes a service provider: an identity provider is needed");
  return { entityId: metadata.entityId, validUntil: metadata.validUntil, cacheDuration: metadata.cacheDuration, idp: metadata.idp };
}

/** Reads `metadataXml` of the configuration, even if it has expired: `assertNotOver` checks that. Throws a SamlError. */
export const inlineMetadata = (config: Config): ReadMetadata | null =>
  config.metadataXml === undefined ? null : readProviderMetadata(Buffer.from(String(config.metadataXml)), config, 0);

/** Returns the entity that answers, if the configuration names it; null if only the metadata at `metadataUrl` does. Both were checked when they were saved. */
export function entityIn(config: Config): string | null {
  if (typeof config.idpEntityId === "string") return config.idpEntityId;
  if (config.metadataXml === undefined) return null;
  // Expired metadata still names the entity that users are linked to.
  return readMetadata(Buffer.from(String(config.metadataXml)), { now: 0, role: "idp", keys: pinnedKeys(config) }).entityId;
}

export async function fetchProviderMetadata(outbound: Outbound, config: Config): Promise<ReadMetadata> {
  const url = String(config.metadataUrl);
  const headers = { accept: "application/samlmetadata+xml, application/xml;q=0.9, text/xml;q=0.8" };
  const { body } = await callProvider(outbound, url, "metadata", { headers, maxBytes: METADATA_BYTES });
  try {
    return readProviderMetadata(body, config);
  } catch (error) {
    if (error instanceof SamlError) throw new UpstreamError(error.reason, `The metadata of ${hostOf(url)}: ${error.message}.`, error);
    throw error;
  }
}

const BROWSER_BINDINGS = { redirect: BINDING.redirect, post: BINDING.post } as const;
type BrowserBinding = keyof typeof BROWSER_BINDINGS;

/**
 * Combines configuration and metadata; configured values take precedence. Throws an UpstreamError if a value is missing in both. Addresses in metadata that
 * could not be configured (plain http in production, a forbidden host) are ignored.
 */
export function samlUpstream(
  config: Config,
  metadata: ReadMetadata | null,
  outbound: Pick<Outbound, "checkUrl">,
  algorithms?: readonly SignatureAlgorithm[],
): SamlUpstream {
  const missing = (member: string) =>
    new UpstreamError("configuration", `The provider has no ${member}, nor does its metadata say one that can be used.`);
  const usable = <T extends { readonly location: string; readonly responseLocation?: string | null }>(services: readonly T[] = []): T[] =>
    services.filter(({ location, responseLocation }) =>
      [location, responseLocation ?? location].every((url) => urlFaults(outbound, "", url).length === 0),
    );
  const entityId = textOf(config.idpEntityId) ?? metadata?.entityId;
  if (entityId === undefined) throw missing("idpEntityId");
  const configured = certificatesIn(config.idpSigningCertificate);
  const certificates = configured.length > 0 ? configured : (metadata?.idp.signingCertificates ?? []);
  const sso = endpointOf(config, "ssoUrl", usable(metadata?.idp.singleSignOnServices));
  if (sso === null) throw missing("ssoUrl");
  const slo = endpointOf(config, "singleLogoutServiceUrl", usable(metadata?.idp.singleLogoutServices));
  return {
    ...{ entityId, sso, slo },
    keys: certificates.flatMap((certificate) => usableKey(certificate, algorithms)),
    artifactResolution(index) {
      const services = usable(metadata?.idp.artifactResolutionServices).filter(({ binding }) => binding === BINDING.soap);
      return textOf(config.artifactResolutionUrl) ?? services.find((service) => service.index === index)?.location ?? null;
    },
  };
}

/** Ignores keys that are too weak: metadata may list them beside good ones. */
function usableKey(certificate: string, algorithms?: readonly SignatureAlgorithm[]): VerificationKey[] {
  try {
    return [{ ...verificationKey(certificate), ...(algorithms && { algorithms }) }];
  } catch (error) {
    if (error instanceof SamlError) return [];
    throw error;
  }
}

const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

/** Finds the endpoint for requests, by `authnRequestBinding`; if that is omitted, by the bindings that the metadata offers, Redirect first. */
function endpointOf(
  config: Config,
  member: "ssoUrl" | "singleLogoutServiceUrl",
  services: EntityMetadata["idp"] extends infer R | null ? (R extends { singleLogoutServices: infer S } ? S : never) : never,
) {
  const wanted = textOf(config.authnRequestBinding) as BrowserBinding | undefined;
  const url = textOf(config[member]);
  if (url !== undefined) return { binding: wanted ?? "redirect", location: url, responseLocation: url };
  const order: readonly BrowserBinding[] = wanted === undefined || member === "singleLogoutServiceUrl" ? ["redirect", "post"] : [wanted];
  for (const binding of order) {
    const found = services.find((service) => service.binding === BROWSER_BINDINGS[binding]);
    if (found) return { binding, location: found.location, responseLocation: found.responseLocation ?? found.location };
  }
  return null;
}
