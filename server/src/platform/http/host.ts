import type { IncomingMessage } from "node:http";
import { AppError } from "../../kernel/errors.ts";

/** RFC 3986 §3.2.2, §3.2.3: the host and the port of an address. */
const AUTHORITY = /^(\[[\w:.%~-]+\]|[\w.~!$&'()*+,;=%-]*)(:\d*)?$/;

/**
 * RFC 9112 §3.2: refuses a request with several hosts, with one that is none, and with HTTP/1.1 one without a host. Of several lines Node keeps the first
 * in `headers`, and a proxy may have read the last.
 */
export function refusedHost({ rawHeaders, headers: { host = "" }, httpVersion }: IncomingMessage): AppError | null {
  let lines = 0;
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (rawHeaders[at]!.length === 4 && rawHeaders[at]!.toLowerCase() === "host") lines += 1;
  if (lines === 1 ? AUTHORITY.test(host) : lines === 0 && httpVersion === "1.0") return null;
  return new AppError("request.malformed", 400, "A request names one host, in one Host header", { errors: [] });
}
