import { isCleanText } from "../../../kernel/text.ts";
import { SamlError } from "../errors.ts";

/** SAML bindings §3.4.3, §3.5.3. Some providers send more, so the caller may allow more for them. */
export const RELAY_STATE_BYTES = 80;

export interface RelayStateLimit {
  readonly relayStateBytes?: number;
}

/** An empty one says as much as none. */
export function checkedRelayState(relayState: string | null, { relayStateBytes = RELAY_STATE_BYTES }: RelayStateLimit): string | null {
  if (relayState === null || relayState === "") return null;
  if (Buffer.byteLength(relayState) > relayStateBytes)
    throw new SamlError("relay_state", `RelayState is longer than ${relayStateBytes} bytes`);
  if (!isCleanText(relayState)) throw new SamlError("relay_state", "RelayState is not text");
  return relayState;
}
