import { isCleanText } from "../../../kernel/text.ts";
import { SamlError } from "../errors.ts";

/** The limit of SAML bindings §3.4.3 and §3.5.3. Some providers send more, so the caller may set a higher one for them. */
export const RELAY_STATE_BYTES = 80;

export interface RelayStateLimit {
  readonly relayStateBytes?: number;
}

/** Addresses that would run as scripts in the page of a service provider which redirects to its RelayState without a check. */
const SCRIPT = /^(?:javascript|data|vbscript):/i;

/** Tells whether the RelayState is a script. Browsers drop control characters and spaces before they read an address, even within the scheme. */
export const isScript = (relayState: string): boolean => SCRIPT.test(relayState.replace(/[\s\p{Cc}]/gu, ""));

/** Checks a RelayState. An empty one counts as none. */
export function checkedRelayState(relayState: string | null, { relayStateBytes = RELAY_STATE_BYTES }: RelayStateLimit): string | null {
  if (relayState === null || relayState === "") return null;
  if (Buffer.byteLength(relayState) > relayStateBytes)
    throw new SamlError("relay_state", `RelayState is longer than ${relayStateBytes} bytes`);
  if (!isCleanText(relayState)) throw new SamlError("relay_state", "RelayState is not text");
  return relayState;
}
