import type { IncomingHttpHeaders } from "node:http";
import type { ClientSnapshot } from "../../applications/clients/index.ts";
import { isPublic, isSecretOf, takesSecret } from "./client.ts";
import type { RealmParts } from "./parts.ts";

// Requests to the token endpoint as nearly all of them are: a grant, a client that names itself or proves itself by its secret, and
// nothing else. What is made of them here is only the way that ends in tokens; whatever is to be refused is refused by the engine.

export type Form = Readonly<Record<string, string | string[] | undefined>>;

/** RFC 9449, and the draft on attestation of clients. */
const FEATURES = ["dpop", "oauth-client-attestation", "oauth-client-attestation-pop"];
const BY_SECRET: ReadonlySet<string> = new Set(["client_secret", "client_secret_basic", "client_secret_post"]);
/** RFC 6749 §3.3 */
const SCOPE = /^[\x21\x23-\x5B\x5D-\x7E]+(?: [\x21\x23-\x5B\x5D-\x7E]+)*$/;

export const isScope = (text: string): boolean => SCOPE.test(text);

export const hasFeatures = (headers: IncomingHttpHeaders): boolean => FEATURES.some((name) => headers[name] !== undefined);

/** The form, if nothing in the request is more than `members` knows, and each of them is there once at most; null: not plain. */
export function plainForm(
  headers: IncomingHttpHeaders,
  form: Form,
  members: ReadonlySet<string>,
  certificateHeader: string | null,
): Readonly<Record<string, string | undefined>> | null {
  if (hasFeatures(headers) || (certificateHeader !== null && headers[certificateHeader] !== undefined)) return null;
  for (const [name, value] of Object.entries(form)) if (!members.has(name) || typeof value !== "string") return null;
  return form as Readonly<Record<string, string | undefined>>;
}

export interface Credentials {
  readonly clientId: string;
  readonly secret: string;
  /** Otherwise by the form. */
  readonly byHeader: boolean;
}

/** RFC 6749 §2.3: one way of authentication, and one client. */
export function credentialsOf(authorization: string | undefined, { client_id, client_secret }: Form): Credentials | null {
  if (Array.isArray(client_id) || Array.isArray(client_secret)) return null;
  if (authorization === undefined)
    return client_id && client_secret ? { clientId: client_id, secret: client_secret, byHeader: false } : null;
  const credentials = client_secret === undefined ? inHeader(authorization) : null;
  return (client_id ?? credentials?.clientId) === credentials?.clientId ? credentials : null;
}

/** RFC 6749 §2.3.1: both are encoded as in a form, then joined. */
function inHeader(authorization: string): Credentials | null {
  const [, encoded] = /^basic ([A-Za-z0-9+/]+={0,2})$/i.exec(authorization) ?? [];
  if (encoded === undefined) return null;
  const pair = Buffer.from(encoded, "base64").toString("utf8");
  const at = pair.indexOf(":");
  const [clientId, secret] = at < 1 ? [null, null] : [decoded(pair.slice(0, at)), decoded(pair.slice(at + 1))];
  return clientId && secret ? { clientId, secret, byHeader: true } : null;
}

function decoded(text: string): string | null {
  if (!/[%+]/.test(text)) return text;
  try {
    return decodeURIComponent(text.replaceAll("+", "%20"));
  } catch {
    return null; // the engine says what is wrong with it
  }
}

/** The client whose secret this is. */
export async function clientWith(
  { clients, realm }: RealmParts,
  { clientId, secret, byHeader }: Credentials,
): Promise<ClientSnapshot | null> {
  const client = await clients.get(realm.realmId, clientId);
  if (!client?.enabled || client.publicClient || !BY_SECRET.has(client.settings.authMethod)) return null;
  return takesSecret(client, byHeader) && isSecretOf(client, secret) ? client : null;
}

/** A browser says where the page is from that asks. Tokens go to pages of the client's own origins only; others are refused by the engine. */
export const isOwnPage = ({ webOrigins }: ClientSnapshot, { origin }: IncomingHttpHeaders): boolean =>
  origin === undefined || webOrigins.includes(origin);

/** A client that has nothing to prove itself with. */
export async function publicClient({ clients, realm }: RealmParts, clientId: string): Promise<ClientSnapshot | null> {
  const client = await clients.get(realm.realmId, clientId);
  return client?.enabled && isPublic(client) ? client : null;
}
