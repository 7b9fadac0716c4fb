import type { SamlClientSnapshot } from "../../../applications/saml-clients/index.ts";
import { isScript } from "../../../platform/saml/index.ts";
import { Refusal } from "../refusals.ts";

/** Addresses of the service provider itself, and what an administrator allows, may be as long as addresses are. */
export const LONGEST_RELAY_STATE = 2_048;

/** SAML bindings §3.4.3: what the service provider sent with its request, for the answer. */
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

/** SimpleSAMLphp and mod_auth_mellon send the address of the page that the user asked for, which goes back to the site that it came from. */
function isOwnAddress({ assertionConsumerServices }: SamlClientSnapshot, relayState: string): boolean {
  if (!URL.canParse(relayState)) return false;
  const { origin, username, password } = new URL(relayState);
  const isOurs = ({ location }: { location: string }) => URL.canParse(location) && new URL(location).origin === origin;
  return origin !== "null" && username === "" && password === "" && assertionConsumerServices.some(isOurs);
}

/**
 * Any site can link to an IdP-initiated sign-in. So it takes the default RelayState and those that `allowedRelayStates` covers, and no others.
 */
export function relayStateToStart(client: SamlClientSnapshot, relayState: string | null): string | null {
  const { allowedRelayStates, defaultRelayState } = client.options;
  if (relayState === null || relayState === defaultRelayState) return defaultRelayState;
  if (allowedRelayStates === null) throw new Refusal("relay_state", "RelayState is not allowed", client.entityId);
  return relayStateOf(client, relayState);
}

/**
 * A prefix that is an address ends where a part of an address does: `https://app.example` is not the beginning of `https://app.example.org`. Any
 * other is a beginning as it stands.
 */
function isAllowed(prefixes: readonly string[], relayState: string): boolean {
  const goesOn = (prefix: string, rest: string) => !/^https?:/i.test(prefix) || /[/?#=]$/.test(prefix) || /^(?:$|[/?#])/.test(rest);
  const begins = (text: string) => prefixes.some((prefix) => text.startsWith(prefix) && goesOn(prefix, text.slice(prefix.length)));
  // Also as a browser reads it: `..` leads out of a folder.
  return begins(relayState) && (!URL.canParse(relayState) || begins(new URL(relayState).href));
}
