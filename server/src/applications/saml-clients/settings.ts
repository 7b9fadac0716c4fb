import { complete } from "../../platform/http/index.ts";
import { type StoredOptions, type StoredSamlClient, storedOptions } from "./schema.ts";

type Given = Partial<Omit<StoredSamlClient, "options">> & {
  readonly assertionConsumerServiceUrl: string;
  readonly options?: Partial<StoredOptions>;
};

/** The options of a SAML client that was created with its addresses only. */
export const defaultOptions: StoredOptions = complete(storedOptions, {});

/** Returns every member, with defaults for those that were neither stored nor sent. */
export function completeSamlClient(given: Given): StoredSamlClient {
  return {
    assertionConsumerServiceUrl: given.assertionConsumerServiceUrl,
    defaultAuthnContextClassRef: given.defaultAuthnContextClassRef ?? null,
    singleLogoutServiceUrl: given.singleLogoutServiceUrl ?? null,
    signingCertificate: given.signingCertificate ?? null,
    options: complete(storedOptions, given.options ?? {}),
  };
}

/** Returns every certificate that may verify the client's messages. */
export const signingCertificatesOf = ({ signingCertificate, options }: StoredSamlClient): string[] => [
  ...(signingCertificate === null ? [] : [signingCertificate]),
  ...options.additionalSigningCertificates,
];
