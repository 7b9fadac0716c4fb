import { Value } from "typebox/value";
import { type ClientSettings, Jwks, redirectUriVerdict } from "../../../applications/clients/index.ts";
import { DAY, MINUTE } from "../../../kernel/clock.ts";
import { cut, isCleanText } from "../../../kernel/text.ts";
import { freshFor, type Outbound, OutboundError, type OutboundResponse, type ReadDocument } from "../../../platform/outbound/index.ts";
import { inferredApplicationType } from "../metadata/metadata.ts";

/** The metadata at the URL that is the client id (draft-ietf-oauth-client-id-metadata-document). */
export interface ClientDocument {
  readonly name: string | null;
  readonly applicationType: "web" | "native";
  readonly redirectUris: readonly string[];
  readonly grantTypes: readonly ("authorization_code" | "refresh_token")[];
  readonly authMethod: "none" | "private_key_jwt";
  /** The keys for `private_key_jwt`. The document has either of the two. */
  readonly jwks: ClientSettings["jwks"];
  readonly jwksUri: string | null;
  readonly logoUri: string | null;
  readonly clientUri: string | null;
  readonly policyUri: string | null;
  readonly tosUri: string | null;
}

/** The error for an invalid document, or one of another client. It is recorded for the realm's administrators, without the content. */
export class DocumentRefused extends Error {}

/** The length of the database column. */
const MAX_ADDRESS = 255;
const MAX_REDIRECTS = 20;
const MAX_NAME = 100;
const LIFETIME = { least: MINUTE, most: DAY, usual: 5 * MINUTE }; // §4.4 allows caching
// The draft recommends 5 KiB; documents with several languages and URIs are larger.
const LIMITS = { timeoutMs: 5_000, maxBytes: 16 * 1024 } as const;

/** §3: tells whether a client id is the address of a document: https, normalised, without fragment, userinfo or dot segments. */
export function isDocumentAddress(clientId: string): boolean {
  if (!clientId.startsWith("https://") || clientId.length > MAX_ADDRESS || !URL.canParse(clientId)) return false;
  const url = new URL(clientId);
  return url.href === clientId && url.username === "" && url.password === "" && !clientId.includes("#") && !/%2e/i.test(url.pathname);
}

/** Fetches the document. Its server's cache headers limit its use, within bounds. */
export async function readDocument(outbound: Outbound, address: string): Promise<ReadDocument<ClientDocument>> {
  // §4: redirects are not followed, because the URL identifies the client.
  const answer = await outbound.fetch(address, { ...LIMITS, headers: { accept: "application/json" } });
  if (answer.status >= 500) throw new OutboundError("connect", new URL(address).hostname);
  if (answer.status !== 200) throw new DocumentRefused(`the address answered with status ${answer.status} instead of 200`);
  return { document: parseDocument(address, contentOf(answer)), freshMs: freshFor(answer.headers, LIFETIME) };
}

function contentOf(answer: OutboundResponse): Record<string, unknown> {
  if (!/^application\/([\w.+-]+\+)?json\b/i.test(String(answer.headers["content-type"] ?? "")))
    throw new DocumentRefused("the document is not served as application/json");
  let content: unknown;
  try {
    content = answer.json();
  } catch (cause) {
    throw new DocumentRefused("the document is not valid JSON", { cause });
  }
  if (typeof content !== "object" || content === null || Array.isArray(content)) throw new DocumentRefused("the document is not an object");
  return content as Record<string, unknown>;
}

export function parseDocument(address: string, content: Record<string, unknown>): ClientDocument {
  if (content.client_id !== address) throw new DocumentRefused("client_id in the document is not its address");
  // §4.1: such a client cannot have a shared secret.
  if ("client_secret" in content || "client_secret_expires_at" in content)
    throw new DocumentRefused("the document must not hold a client_secret");
  const redirectUris = textsOf(content, "redirect_uris") ?? [];
  if (redirectUris.length === 0 || redirectUris.length > MAX_REDIRECTS)
    throw new DocumentRefused(`redirect_uris must name 1 to ${MAX_REDIRECTS} addresses`);
  const applicationType = applicationTypeOf(content, redirectUris);
  for (const uri of redirectUris) checkRedirect(address, uri, applicationType);
  const grantTypes = textsOf(content, "grant_types") ?? ["authorization_code", "refresh_token"];
  return {
    name: nameOf(content.client_name),
    applicationType,
    redirectUris,
    grantTypes: (["authorization_code", "refresh_token"] as const).filter((type) => grantTypes.includes(type)),
    ...credentialsOf(content),
    logoUri: linkOf(content, "logo_uri"),
    clientUri: linkOf(content, "client_uri"),
    policyUri: linkOf(content, "policy_uri"),
    tosUri: linkOf(content, "tos_uri"),
  };
}

/** §4.1, §6.2: reads the credentials. Such a client is public, or authenticates by a key that its document names. */
function credentialsOf(content: Record<string, unknown>): Pick<ClientDocument, "authMethod" | "jwks" | "jwksUri"> {
  const { token_endpoint_auth_method: method = "none", jwks } = content;
  if (method === "none") return { authMethod: "none", jwks: null, jwksUri: null };
  if (method !== "private_key_jwt")
    throw new DocumentRefused("token_endpoint_auth_method must be none or private_key_jwt: such clients have no secret");
  const jwksUri = linkOf(content, "jwks_uri");
  if ((jwks === undefined) === (jwksUri === null)) throw new DocumentRefused("private_key_jwt needs either jwks or jwks_uri");
  if (jwks !== undefined && !Value.Check(Jwks, jwks)) throw new DocumentRefused("jwks must be a set of 1 to 20 keys");
  return { authMethod: method, jwks: jwks ?? null, jwksUri };
}

function applicationTypeOf({ application_type: declared }: Record<string, unknown>, redirectUris: readonly string[]): "web" | "native" {
  if (declared !== undefined && declared !== "web" && declared !== "native")
    throw new DocumentRefused("application_type must be web or native");
  return declared ?? inferredApplicationType({ redirect_uris: [...redirectUris] });
}

/** §6.1: requires redirect URIs of the document's origin, except loopback and private-use URIs of native apps. */
function checkRedirect(address: string, uri: string, applicationType: "web" | "native"): void {
  const refused = redirectUriVerdict(uri, applicationType);
  if (refused) throw new DocumentRefused(`one of the redirect_uris ${refused.message}`);
  const url = new URL(uri);
  if (url.protocol === "https:" && url.origin !== new URL(address).origin)
    throw new DocumentRefused("redirect_uris must have the origin of the document");
}

function textsOf(content: Record<string, unknown>, member: string): string[] | undefined {
  const value = content[member];
  if (value === undefined) return undefined;
  if (!Array.isArray(value) || !value.every((each): each is string => typeof each === "string" && isCleanText(each)))
    throw new DocumentRefused(`${member} must be a list of texts`);
  return value;
}

/** Returns the name that users see beside the verified host, without invisible and bidirectional control characters. */
function nameOf(value: unknown): string | null {
  if (typeof value !== "string") return null;
  const name = cut(value.replace(/[\p{C}\s]+/gu, " ").trim(), MAX_NAME);
  return name === "" ? null : name;
}

function linkOf(content: Record<string, unknown>, member: string): string | null {
  const value = content[member];
  if (value === undefined || value === null || value === "") return null;
  if (typeof value !== "string" || value.length > 2048 || !/^https:\/\//.test(value) || !URL.canParse(value))
    throw new DocumentRefused(`${member} must be an https address`);
  return new URL(value).href;
}
