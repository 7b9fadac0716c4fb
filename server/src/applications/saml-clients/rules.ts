import type { FieldError } from "../../kernel/errors.ts";
import { isScript, SamlError, verificationKey } from "../../platform/saml/index.ts";
import type { Settings } from "../../tenancy/settings/index.ts";
import { addressVerdict, inList, inMember, isWithinServer } from "../clients/index.ts";
import { maxItems, type StoredSamlClient } from "./schema.ts";
import { signingCertificatesOf } from "./settings.ts";

const error = (field: string, code: string, message: string): FieldError => ({ field, code, message: `${field} ${message}` });

/** Checks the rules that a schema cannot express. Returns an error for every broken one, by its member. */
export function brokenRules(client: StoredSamlClient, defaults: Settings["saml"], baseUrl: string): FieldError[] {
  return [
    ...lengthErrors(client),
    ...addressErrors(client, baseUrl),
    ...endpointErrors(client),
    ...certificateErrors(client),
    ...protectionErrors(client, defaults),
    ...(isScript(client.options.defaultRelayState ?? "") ? [error("options.defaultRelayState", "script", "must not be a script")] : []),
  ];
}

/** Checks the limits of the request's schema, because an import also adds to lists. */
const lengthErrors = ({ options }: StoredSamlClient): FieldError[] =>
  (Object.keys(maxItems) as (keyof typeof maxItems)[])
    .filter((list) => options[list].length > maxItems[list])
    .map((list) => error(`options.${list}`, "too_many", `may have at most ${maxItems[list]} entries: remove some first`));

/** The limit in the index of the table, and in that of the audit trail. */
const MAX_BYTES = 2048;

/**
 * Tells whether the address is a broker's in a realm of this server that is the service provider of another realm. Forms that are posted
 * there count without cookies.
 */
function isBroker(baseUrl: string, address: string, endpoints: string): boolean {
  if (!URL.canParse(address) || new URL(address).href !== address || !address.startsWith(`${baseUrl}/realms/`)) return false;
  return new RegExp(`^[^/?#]+/broker/[^/?#]+${endpoints}$`).test(address.slice(`${baseUrl}/realms/`.length));
}

export function entityIdErrors(entityId: string, baseUrl: string): FieldError[] {
  if (isWithinServer(baseUrl, entityId) && !isBroker(baseUrl, entityId, ""))
    return [error("entityId", "reserved", "is an address of this server, not of a service provider")];
  return Buffer.byteLength(entityId) > MAX_BYTES ? [error("entityId", "length", `must have at most ${MAX_BYTES} bytes in UTF-8`)] : [];
}

function addressErrors({ options, ...client }: StoredSamlClient, baseUrl: string): FieldError[] {
  // A form that this server posts to itself would send the cookies of the signed-in user.
  const verdict = (url: string) =>
    addressVerdict(spelledAsBrowsersDo(url)) ??
    (isWithinServer(baseUrl, url) && !isBroker(baseUrl, url, "/(endpoint|slo)")
      ? { code: "reserved", message: "is an address of this server, not of a service provider" }
      : null);
  return [
    ...inMember("assertionConsumerServiceUrl", client.assertionConsumerServiceUrl, verdict),
    ...inMember("singleLogoutServiceUrl", client.singleLogoutServiceUrl, verdict),
    ...inList("options.additionalAcsUrls", options.additionalAcsUrls, verdict),
    ...options.sloEndpoints.flatMap(({ url, responseUrl }, index) => [
      ...inMember(`options.sloEndpoints.${index}.url`, url, verdict),
      ...inMember(`options.sloEndpoints.${index}.responseUrl`, responseUrl, verdict),
    ]),
    ...(["clientUri", "logoUri", "policyUri", "tosUri"] as const).flatMap((member) =>
      inMember(`options.${member}`, options[member], addressVerdict),
    ),
  ];
}

/**
 * Returns the address as browsers spell it. Requests name an address as metadata spells it, often with capitals or the port. It is stored
 * so, and means the same.
 */
const spelledAsBrowsersDo = (url: string): string =>
  url.replace(/^https?:\/\/[^/?#\\]*/i, (origin) => origin.toLowerCase().replace(/^(https:.*):443$|^(http:.*):80$/, "$1$2"));

function endpointErrors({ assertionConsumerServiceUrl, options }: StoredSamlClient): FieldError[] {
  const known = new Set([assertionConsumerServiceUrl, ...options.additionalAcsUrls]);
  const indexes = options.acsEndpoints.map(({ index }) => index);
  return options.acsEndpoints.flatMap(({ url, index }, place) => {
    const field = `options.acsEndpoints.${place}`;
    if (!known.has(url))
      return [error(`${field}.url`, "unknown", "must be assertionConsumerServiceUrl or one of options.additionalAcsUrls")];
    return indexes.indexOf(index) < place ? [error(`${field}.index`, "taken", "is used twice")] : [];
  });
}

function certificateErrors({ signingCertificate, options }: StoredSamlClient): FieldError[] {
  return [
    ...certificateError("signingCertificate", signingCertificate),
    ...options.additionalSigningCertificates.flatMap((certificate, index) =>
      certificateError(`options.additionalSigningCertificates.${index}`, certificate),
    ),
    ...certificateError("options.encryptionCertificate", options.encryptionCertificate, true),
  ];
}

function certificateError(field: string, certificate: string | null, mustEncrypt = false): FieldError[] {
  if (certificate === null) return [];
  if ((certificate.match(/-----BEGIN /g) ?? []).length > 1)
    return [{ field, code: "certificate", message: `${field} holds more than one certificate: send one` }];
  try {
    const { key } = verificationKey(certificate);
    return mustEncrypt && key.asymmetricKeyType !== "rsa"
      ? [error(field, "certificate", "must hold an RSA key: nothing can be encrypted for another")]
      : [];
  } catch (cause) {
    if (!(cause instanceof SamlError)) throw cause;
    return [{ field, code: "certificate", message: `${field}: ${cause.message}` }];
  }
}

/** Checks that the client's options are possible together with the realm's defaults. */
function protectionErrors(client: StoredSamlClient, defaults: Settings["saml"]): FieldError[] {
  const { options } = client;
  const errors: FieldError[] = [];
  if (!(options.signAssertion ?? defaults.signAssertion) && !(options.signResponse ?? defaults.signResponse))
    errors.push(
      error(
        options.signAssertion === false ? "options.signAssertion" : "options.signResponse",
        "unsigned",
        "must be true: without any signature every site could sign in as any user",
      ),
    );
  if (options.encryptAssertion === true && options.encryptionCertificate === null)
    errors.push(error("options.encryptionCertificate", "required", "is needed where options.encryptAssertion is true"));
  if (options.wantAuthnRequestsSigned === true && signingCertificatesOf(client).length === 0)
    errors.push(error("signingCertificate", "required", "is needed where options.wantAuthnRequestsSigned is true"));
  return errors;
}
