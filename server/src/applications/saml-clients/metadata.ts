import { isDeepStrictEqual } from "node:util";
import { cut } from "../../kernel/text.ts";
import * as saml from "../../platform/saml/index.ts";
import { nameIdFormats } from "../../tenancy/settings/index.ts";
import type { StoredOptions, StoredSamlClient } from "./schema.ts";
import { completeSamlClient, signingCertificatesOf } from "./settings.ts";
import type { NameIdKind } from "./snapshot.ts";

/** The values of a service provider's metadata that become part of the record. */
export interface Imported {
  readonly name: string | null;
  readonly assertionConsumerServiceUrl: string;
  readonly acsUrls: readonly string[];
  readonly acsEndpoints: StoredOptions["acsEndpoints"];
  readonly singleLogoutServiceUrl: string | null;
  readonly sloEndpoints: StoredOptions["sloEndpoints"];
  /** The certificates in PEM. */
  readonly signingCertificates: readonly string[];
  readonly encryptionCertificate: string | null;
  readonly encryptionAlgorithm: StoredOptions["encryptionAlgorithm"];
  readonly keyTransportAlgorithm: StoredOptions["keyTransportAlgorithm"];
  readonly nameIdFormat: NameIdKind | null;
  readonly wantAuthnRequestsSigned: boolean | null;
  readonly signAssertion: boolean | null;
}

/** The content of `saml_clients.metadata`. The values are kept to distinguish them from those that an administrator has set since. */
export interface StoredMetadata {
  readonly url: string | null;
  readonly importedAt: number;
  readonly validUntil: number | null;
  readonly values: Imported;
  /** The members from here on are missing in imports of an older release, which are not read again by themselves. */
  readonly refresh?: boolean;
  /** The certificate with which the metadata must be signed. */
  readonly certificate?: string | null;
  /** The reason why the last read failed. Null if it succeeded. */
  readonly lastError?: string | null;
}

const acsBindings = { [saml.BINDING.post]: "post", [saml.BINDING.artifact]: "artifact" } as const;
const sloBindings = { [saml.BINDING.redirect]: "redirect", [saml.BINDING.post]: "post", [saml.BINDING.soap]: "soap" } as const;
const known = <T extends object>(table: T, binding: string): T[keyof T] | null =>
  Object.hasOwn(table, binding) ? table[binding as keyof T] : null;

/** Returns the values of metadata. Endpoints of bindings that this server does not use (PAOS, SAML 1.1) are skipped. */
export function importedFrom({ sp }: saml.EntityMetadata): Imported {
  if (!sp) throw new saml.SamlError("metadata", "The metadata describes an identity provider: a SAML client is a service provider");
  const services = sp.assertionConsumerServices.filter(({ binding }) => known(acsBindings, binding) !== null);
  const standard = saml.defaultOf(services);
  if (!standard)
    throw new saml.SamlError("metadata", "The service provider has no AssertionConsumerService for HTTP-POST or HTTP-Artifact");
  const sloEndpoints = sp.singleLogoutServices.flatMap(({ binding, location, responseLocation }): StoredOptions["sloEndpoints"] => {
    const name = known(sloBindings, binding);
    return name === null ? [] : [{ url: location, binding: name, responseUrl: responseLocation }];
  });
  return {
    name: displayNameOf(sp),
    assertionConsumerServiceUrl: standard.location,
    acsUrls: [...new Set([standard.location, ...services.map(({ location }) => location)])],
    acsEndpoints: services.map((service) => ({
      url: service.location,
      binding: known(acsBindings, service.binding)!,
      index: service.index,
      isDefault: service === standard,
    })),
    singleLogoutServiceUrl: sloEndpoints.find(({ binding }) => binding !== "soap")?.url ?? null,
    sloEndpoints,
    signingCertificates: sp.signingCertificates.map(toPem),
    ...encryptionOf(sp),
    nameIdFormat: nameIdFormatOf(sp),
    wantAuthnRequestsSigned: sp.authnRequestsSigned || null,
    signAssertion: sp.wantAssertionsSigned || null,
  };
}

const displayNameOf = ({ displayName }: saml.SpRole): string | null =>
  cut(displayName?.replace(/[\p{C}\s]+/gu, " ").trim() ?? "", 255).trim() || null;

const nameIdFormatOf = ({ nameIdFormats: listed }: saml.SpRole): NameIdKind | null =>
  listed.flatMap((urn) => nameIdFormats.filter((format) => saml.NAME_ID_FORMAT[format] === urn))[0] ?? null;

function encryptionOf({ encryptionCertificates, encryptionMethods }: saml.SpRole) {
  const certificate = encryptionCertificates.find((one) => saml.verificationKey(one).key.asymmetricKeyType === "rsa");
  const offered = <T extends string>(algorithms: readonly T[]) =>
    encryptionMethods.find((method): method is T => (algorithms as readonly string[]).includes(method));
  const { aes128cbc, aes192cbc, aes256cbc, ...authenticated } = saml.DATA_ENCRYPTION;
  return {
    encryptionCertificate: certificate === undefined ? null : toPem(certificate),
    // CBC does not detect changes on the way, so it is only for providers that support nothing else.
    encryptionAlgorithm: offered(Object.values(authenticated)) ?? offered([aes128cbc, aes192cbc, aes256cbc]) ?? null,
    keyTransportAlgorithm: offered(Object.values(saml.KEY_TRANSPORT)) ?? null,
  };
}

const toPem = (der: string): string => `-----BEGIN CERTIFICATE-----\n${der.replace(/.{1,64}/g, "$&\n")}-----END CERTIFICATE-----\n`;

const nothing: Omit<Imported, "assertionConsumerServiceUrl"> = {
  name: null,
  acsUrls: [],
  acsEndpoints: [],
  singleLogoutServiceUrl: null,
  sloEndpoints: [],
  signingCertificates: [],
  encryptionCertificate: null,
  encryptionAlgorithm: null,
  keyTransportAlgorithm: null,
  nameIdFormat: null,
  wantAuthnRequestsSigned: null,
  signAssertion: null,
};

export interface Mergeable {
  readonly name: string | null;
  readonly stored: StoredSamlClient;
}

/** Returns the imported members of a record. */
const valuesOf = ({ name, stored }: Mergeable): Imported => ({
  name,
  assertionConsumerServiceUrl: stored.assertionConsumerServiceUrl,
  acsUrls: [stored.assertionConsumerServiceUrl, ...stored.options.additionalAcsUrls],
  acsEndpoints: stored.options.acsEndpoints,
  singleLogoutServiceUrl: stored.singleLogoutServiceUrl,
  sloEndpoints: stored.options.sloEndpoints,
  signingCertificates: signingCertificatesOf(stored),
  encryptionCertificate: stored.options.encryptionCertificate,
  encryptionAlgorithm: stored.options.encryptionAlgorithm,
  keyTransportAlgorithm: stored.options.keyTransportAlgorithm,
  nameIdFormat: stored.options.nameIdFormat,
  wantAuthnRequestsSigned: stored.options.wantAuthnRequestsSigned,
  signAssertion: stored.options.signAssertion,
});

/**
 * Merges metadata into a record. A member that still has the value of the last import follows; one that an administrator has set since
 * stays. Each entry of a list is merged separately: one that was added by an administrator stays, and one that was removed is not added
 * again.
 */
export function withMetadata(current: Mergeable | null, before: Imported | null, next: Imported): Mergeable {
  if (!current) return recordOf(next, completeSamlClient(next).options);
  const present = valuesOf(current);
  const merge = (member: keyof Imported): unknown => {
    const [was, is, becomes] = [before?.[member] ?? emptyOf(member), present[member], next[member]];
    if (Array.isArray(is)) return mergedList(was as unknown[], is, becomes as unknown[]);
    return isDeepStrictEqual(was, is) ? becomes : is;
  };
  const merged = Object.fromEntries((Object.keys(next) as (keyof Imported)[]).map((member) => [member, merge(member)]));
  return recordOf(merged as unknown as Imported, current.stored.options, current.stored.defaultAuthnContextClassRef);
}

function mergedList(was: readonly unknown[], is: readonly unknown[], becomes: readonly unknown[]): unknown[] {
  const holds = (list: readonly unknown[], one: unknown) => list.some((other) => isDeepStrictEqual(other, one));
  const wanted = becomes.filter((one) => holds(is, one) || !holds(was, one));
  return [...wanted, ...is.filter((one) => !holds(was, one) && !holds(wanted, one))];
}

function recordOf(values: Imported, options: StoredSamlClient["options"], defaultAuthnContextClassRef: string | null = null): Mergeable {
  const { name, assertionConsumerServiceUrl, singleLogoutServiceUrl, acsUrls, acsEndpoints, signingCertificates, ...rest } = values;
  const [signingCertificate = null, ...additionalSigningCertificates] = signingCertificates;
  const additionalAcsUrls = acsUrls.filter((url) => url !== assertionConsumerServiceUrl);
  const addresses = [assertionConsumerServiceUrl, ...additionalAcsUrls];
  const endpoints = acsEndpoints.filter(
    ({ url, index }, place) => addresses.includes(url) && acsEndpoints.findIndex((other) => other.index === index) === place,
  );
  return {
    name,
    stored: completeSamlClient({
      assertionConsumerServiceUrl,
      defaultAuthnContextClassRef,
      singleLogoutServiceUrl,
      signingCertificate,
      options: { ...options, ...rest, additionalAcsUrls, acsEndpoints: endpoints, additionalSigningCertificates },
    }),
  };
}

/** The API's names of imported members. */
const memberNames: Readonly<Record<keyof Imported, string>> = {
  name: "options.name",
  assertionConsumerServiceUrl: "assertionConsumerServiceUrl",
  acsUrls: "options.additionalAcsUrls",
  acsEndpoints: "options.acsEndpoints",
  singleLogoutServiceUrl: "singleLogoutServiceUrl",
  sloEndpoints: "options.sloEndpoints",
  signingCertificates: "signingCertificate",
  encryptionCertificate: "options.encryptionCertificate",
  encryptionAlgorithm: "options.encryptionAlgorithm",
  keyTransportAlgorithm: "options.keyTransportAlgorithm",
  nameIdFormat: "options.nameIdFormat",
  wantAuthnRequestsSigned: "options.wantAuthnRequestsSigned",
  signAssertion: "options.signAssertion",
};

/** Returns the members that still have the value of the last import, and that the next one changes. */
export function membersFromMetadata(record: Mergeable, { values }: StoredMetadata): string[] {
  const present = valuesOf(record);
  return (Object.keys(memberNames) as (keyof Imported)[])
    .filter((member) => isDeepStrictEqual(values[member], present[member]) && !isDeepStrictEqual(values[member], emptyOf(member)))
    .filter((member) => member !== "acsUrls" || values.acsUrls.length > 1)
    .map((member) => memberNames[member]);
}

const emptyOf = (member: keyof Imported): unknown => (nothing as Partial<Imported>)[member] ?? null;
