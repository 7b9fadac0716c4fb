import { isIP } from "node:net";
import type { FieldError } from "../../kernel/errors.ts";
import { isLoopbackName } from "../../kernel/loopback.ts";
import { isPublicAddress } from "./addresses.ts";
import { OutboundError } from "./errors.ts";
import type { Outbound } from "./outbound.ts";

/** Returns the faults of a URL that is being saved, if it would be refused when it is called, as far as this is known without DNS. */
export function urlFaults(outbound: Pick<Outbound, "checkUrl">, field: string, url: string): FieldError[] {
  try {
    outbound.checkUrl(url);
    return [];
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    return [{ field, code: error.reason, message: `${field}: ${error.message}` }];
  }
}

/** Does the same for a URL that only this server calls. Plain http passes `checkUrl` in development, and may then lead only to this machine. */
export function receiverFaults(outbound: Outbound, field: string, url: string): FieldError[] {
  const faults = urlFaults(outbound, field, url);
  if (faults.length > 0) return faults;
  const { protocol, hostname } = new URL(url);
  if (protocol === "https:" || mayBeThisMachine(hostname.replace(/^\[|\]$/g, ""))) return [];
  return [{ field, code: "scheme", message: `${field}: ${new OutboundError("scheme", hostname).message}` }];
}

const mayBeThisMachine = (host: string): boolean => (isIP(host) ? !isPublicAddress(host) : isLoopbackName(host));
