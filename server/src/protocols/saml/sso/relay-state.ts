import type { SamlClientSnapshot } from "../../../applications/saml-clients/index.ts";
import { isScript } from "../../../platform/saml/index.ts";
import { Refusal } from "../refusals.ts";

/** The longest RelayState, for addresses of the service provider itself and those that an administrator allows. */
export const LONGEST_RELAY_STATE = 2_048;

/** SAML bindings §3.4.3: returns the RelayState that the response repeats. */
export function relayStateOf(client: SamlClientSnapshot, relayState: string | null): string | null {
  if (relayState === null) return null;
  const { allowedRelayStates, relayStateBytes } = client.options;
  if (isScript(relayState)) throw new Refusal("relay_state", "RelayState is a script", client.entityId);
  if (allowedRelayStates !== null) {
    if (!isAllowed(allowedRelayStates, relayState)) throw new Refusal("relay_state", "RelayState is not allowed", client.entityId);
  } else if (Buffer.byteLength(relayState) > relayStateBytes && !isOwnAddress(client, relayState)) {
    const message = `RelayState is longer than ${relayStateBytes} bytes: options.relayStateBytes allows up to ${LONGEST_RELAY_STATE}`;
    throw new Refusal("relay_state", message, client.entityId);
  }
  return relayState;
}

/** Tells whether RelayState is on the service provider itself: SimpleSAMLphp and mod_auth_mellon send the page that the user requested. */
function isOwnAddress({ assertionConsumerServices }: SamlClientSnapshot, relayState: string): boolean {
  if (!URL.canParse(relayState)) return false;
  const { origin, username, password } = new URL(relayState);
  const isOurs = ({ location }: { location: string }) => URL.canParse(location) && new URL(location).origin === origin;
  return origin !== "null" && username === "" && password === "" && assertionConsumerServices.some(isOurs);
}

/** Returns the RelayState of an IdP-initiated sign-in: the default, or an allowed one, because any site can link here. */
export function relayStateToStart(client: SamlClientSnapshot, relayState: string | null): string | null {
  const { allowedRelayStates, defaultRelayState } = client.options;
  if (relayState === null || relayState === defaultRelayState) return defaultRelayState;
  if (allowedRelayStates === null) throw new Refusal("relay_state", "RelayState is not allowed", client.entityId);
  return relayStateOf(client, relayState);
}

/**
 * Tells whether a prefix covers the RelayState. A prefix that is an address has to end where a part of the address does:
 * `https://app.example` does not cover `https://app.example.org`. Any other prefix is compared as it is.
 */
function isAllowed(prefixes: readonly string[], relayState: string): boolean {
  const goesOn = (prefix: string, rest: string) => !/^https?:/i.test(prefix) || /[/?#=]$/.test(prefix) || /^(?:$|[/?#])/.test(rest);
  const begins = (text: string) => prefixes.some((prefix) => text.startsWith(prefix) && goesOn(prefix, text.slice(prefix.length)));
  // The address is also compared as a browser reads it, because `..` leads out of a folder.
  return begins(relayState) && (!URL.canParse(relayState) || begins(new URL(relayState).href));
}
