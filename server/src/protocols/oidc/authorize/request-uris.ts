import { MINUTE } from "../../../kernel/clock.ts";
import { OutboundError } from "../../../platform/outbound/index.ts";
import type { RealmParts } from "../parts.ts";

type RequestUriParts = Pick<RealmParts, "realm" | "clients" | "limiter" | "outbound" | "log">;

/** Returns the query string, with its `?`. */
export const searchOf = ({ url = "" }: { url?: string | undefined }): string => (url.includes("?") ? url.slice(url.indexOf("?")) : "");

const LIMITS = { timeoutMs: 5_000, maxBytes: 64 * 1024 } as const;
/** Limits the requests to a client's host: any site can make browsers send them, and must not flood the host through this server. */
const PER_CLIENT = { limit: 60, windowMs: MINUTE };
/** An unknown request_uri of PAR, which the engine refuses with its usual error response. */
const UNKNOWN = "urn:ietf:params:oauth:request_uri:unreadable";

/**
 * OpenID Connect Core §6.2, RFC 9101 §5.2: fetches the request object at `request_uri` and passes it as `request`, because the engine does
 * not fetch it. Fetches only URIs that the client has registered (RFC 9101 §10.4.1).
 */
export async function withRequestObject(parts: RequestUriParts, search: string): Promise<string> {
  const query = new URLSearchParams(search);
  const [uri, ...others] = query.getAll("request_uri");
  if (uri === undefined || others.length > 0 || query.has("request") || !/^https?:/i.test(uri)) return search;
  const jwt = await read(parts, query.get("client_id") ?? "", uri);
  if (jwt === null) query.set("request_uri", UNKNOWN);
  else {
    query.delete("request_uri");
    query.set("request", jwt);
  }
  return `?${query}`;
}

async function read(parts: RequestUriParts, clientId: string, uri: string): Promise<string | null> {
  const { realmId } = parts.realm;
  const client = await parts.clients.get(realmId, clientId);
  // OpenID Connect Core §6.2: the fragment is a hash for caching, and nothing is cached here.
  const plain = (address: string) => address.split("#", 1)[0]!;
  const isRegistered = client?.enabled === true && client.settings.requestUris.some((known) => plain(known) === plain(uri));
  if (!isRegistered || !(await parts.limiter.take(`request-uri:${realmId}:${clientId}`, PER_CLIENT)).allowed) return null;
  try {
    const answer = await parts.outbound.fetch(plain(uri), {
      ...LIMITS,
      headers: { accept: "application/oauth-authz-req+jwt, application/jwt" },
    });
    return answer.status === 200 ? answer.text().trim() : null;
  } catch (err) {
    if (!(err instanceof OutboundError)) throw err;
    parts.log.info({ err, realm: realmId, clientId }, "a request object could not be read");
    return null;
  }
}
