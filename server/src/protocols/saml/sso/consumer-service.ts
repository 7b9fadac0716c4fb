import type { SamlClientSnapshot } from "../../../applications/saml-clients/index.ts";
import { type AuthnRequest, BINDING, defaultOf } from "../../../platform/saml/index.ts";
import { Refusal } from "../refusals.ts";

/** The address and binding of a response. */
export interface Consumer {
  readonly location: string;
  readonly binding: "post" | "artifact";
}

type Wanted = Pick<AuthnRequest, "assertionConsumerServiceUrl" | "assertionConsumerServiceIndex" | "protocolBinding">;

const BY_URI: ReadonlyMap<string, Consumer["binding"]> = new Map([
  [BINDING.post, "post"],
  [BINDING.artifact, "artifact"],
]);

/** SAML profiles §4.1.4.1: returns the registered service with exactly this address or index, or the default. */
export function consumerOf(client: SamlClientSnapshot, wanted: Wanted): Consumer {
  const { assertionConsumerServices: services, entityId } = client;
  const { assertionConsumerServiceUrl: url, assertionConsumerServiceIndex: index, protocolBinding } = wanted;
  const fitting = services.filter(({ location, index: its }) => (url === null || location === url) && (index === null || its === index));
  const withBinding = fitting.filter(({ binding }) => binding === protocolBinding);
  const found = defaultOf(withBinding) ?? defaultOf(fitting);
  if (!found) throw new Refusal("acs", "The assertion consumer service is not registered", entityId);
  return { location: found.location, binding: bindingOf(protocolBinding ?? found.binding) };
}

/** Returns the consumer of unsolicited responses. */
export const defaultConsumerOf = (client: SamlClientSnapshot): Consumer =>
  consumerOf(client, { assertionConsumerServiceUrl: null, assertionConsumerServiceIndex: null, protocolBinding: null });

/** SAML profiles §4.1.2: returns the binding of a response, which is never Redirect. A request for that gets an error by POST. */
const bindingOf = (uri: string): Consumer["binding"] => BY_URI.get(uri) ?? "post";

export const isSupportedBinding = (uri: string | null): boolean => uri === null || BY_URI.has(uri);

/** Tells whether the address is still registered after the user has signed in. */
export const isRegistered = ({ assertionConsumerServices }: SamlClientSnapshot, location: string): boolean =>
  assertionConsumerServices.some((service) => service.location === location);
