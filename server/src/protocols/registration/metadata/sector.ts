import { type Outbound, OutboundError } from "../../../platform/outbound/index.ts";
import { invalidMetadata } from "../errors.ts";
import type { RegistrationRequest } from "./metadata.schema.ts";

const LIMITS = { timeoutMs: 5_000, maxBytes: 64 * 1024 } as const;
const MEMBER = "sector_identifier_uri";

/** OpenID Connect Dynamic Client Registration §5: the document at `sector_identifier_uri` must list every redirect URI. */
export async function checkSector(
  outbound: Outbound,
  { sector_identifier_uri: uri, redirect_uris = [] }: RegistrationRequest,
): Promise<void> {
  if (typeof uri !== "string") return;
  if (!uri.startsWith("https:")) throw invalidMetadata(MEMBER, `${MEMBER} must use https`);
  const listed = await read(outbound, uri);
  const missing = redirect_uris.filter((redirect) => !listed.includes(redirect));
  if (missing.length > 0) throw invalidMetadata(MEMBER, `${MEMBER}: the list found there lacks ${missing.join(", ")}`);
}

async function read(outbound: Outbound, uri: string): Promise<readonly unknown[]> {
  try {
    const answer = await outbound.fetch(uri, { ...LIMITS, headers: { accept: "application/json" } });
    const list = answer.status === 200 ? answer.json() : undefined;
    if (Array.isArray(list)) return list;
  } catch (cause) {
    if (cause instanceof OutboundError) throw invalidMetadata(MEMBER, `${MEMBER}: ${cause.message}`, cause);
    if (!(cause instanceof SyntaxError)) throw cause;
  }
  throw invalidMetadata(MEMBER, `${MEMBER}: there must be a JSON array of redirect URIs at that address, answered with status 200`);
}
