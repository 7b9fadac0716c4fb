import { isIP } from "node:net";
import type { FieldError } from "../../kernel/errors.ts";
import { isPublicAddress } from "./addresses.ts";
import { OutboundError } from "./errors.ts";
import type { Outbound } from "./outbound.ts";

/** Returns the reason why a URL that is being saved would be refused when it is called, as far as this is known without DNS. Returns null if there is none. */
export function receiverFault(outbound: Outbound, field: string, url: string): FieldError | null {
  try {
    outbound.checkUrl(url);
    const { protocol, hostname } = new URL(url);
    // Plain http passes `checkUrl` in development only, and may then lead only to this machine.
    if (protocol === "http:" && !mayBeThisMachine(hostname.replace(/^\[|\]$/g, ""))) throw new OutboundError("scheme", hostname);
    return null;
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    return { field, code: error.reason, message: `${field}: ${error.message}` };
  }
}

const mayBeThisMachine = (host: string): boolean =>
  isIP(host) ? !isPublicAddress(host) : host === "localhost" || host.endsWith(".localhost");
