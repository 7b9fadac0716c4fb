import { deflateRawSync, type InflateRaw, inflateRawSync } from "node:zlib";
import { decodeBase64 } from "../base64.ts";
import { SamlError } from "../errors.ts";
import { type DetachedSignature, type ReceivedMessage, receive } from "../messages/received.ts";
import type { SigningKey } from "../signature/keys.ts";
import { MESSAGE_LIMITS, parseXml } from "../xml/parse.ts";
import { type Fragment, render } from "../xml/write.ts";
import { cameAs, parameterFor } from "./kind.ts";
import { checkedRelayState, type RelayStateLimit } from "./relay-state.ts";

const DEFLATE = "urn:oasis:names:tc:SAML:2.0:bindings:URL-Encoding:DEFLATE";
const MAX_QUERY = 64 * 1024;
/** The parameters in the order in which they are signed. */
const SIGNED = ["SAMLRequest", "SAMLResponse", "RelayState", "SigAlg"] as const;
const OURS = [...SIGNED, "Signature", "SAMLEncoding"] as const;
type Name = (typeof OURS)[number];

interface RawParameter {
  readonly name: Name;
  /** The received text, still encoded, because the signature covers it. */
  readonly raw: string;
}

/**
 * Reads a message by the Redirect binding (SAML bindings §3.4.4). `query` is the address's query as it was received, without the question mark, because the
 * signature covers the octets that were sent.
 */
export async function readRedirect(query: string, limit: RelayStateLimit = {}): Promise<ReceivedMessage> {
  if (query.length > MAX_QUERY) throw new SamlError("size", "The query is too long");
  const parameters = rawParameters(query);
  const raw = (name: Name): string | null => parameters.find((parameter) => parameter.name === name)?.raw ?? null;
  if (raw("SAMLRequest") !== null && raw("SAMLResponse") !== null)
    throw new SamlError("binding", "There is both a SAMLRequest and a SAMLResponse");
  const parameter = raw("SAMLRequest") === null ? "SAMLResponse" : "SAMLRequest";
  const message = raw(parameter);
  if (message === null) throw new SamlError("binding", "There is neither a SAMLRequest nor a SAMLResponse");
  const encoding = raw("SAMLEncoding");
  if (encoding !== null && decodeRaw(encoding) !== DEFLATE) throw new SamlError("binding", "The SAMLEncoding is not DEFLATE");

  const xml = inflated(decodeBase64(decodeRaw(message), "binding", parameter));
  const relayState = raw("RelayState");
  const received = receive(parseXml(xml, MESSAGE_LIMITS), {
    binding: "redirect",
    // Forms encode a space as a plus, and so do many providers.
    relayState: checkedRelayState(relayState === null ? null : decodeRaw(relayState.replaceAll("+", " ")), limit),
    detached: detachedSignature(parameters),
  });
  cameAs(parameter, received);
  return received;
}

/** Returns our parameters. It refuses a repeated one, and a name that another parser could take for one of ours. */
function rawParameters(query: string): RawParameter[] {
  const found: RawParameter[] = [];
  for (const part of query.split("&")) {
    const at = part.indexOf("=");
    const written = at < 0 ? part : part.slice(0, at);
    const name = OURS.find((known) => known === decodedName(written));
    if (!name) continue;
    if (written !== name || at < 0 || found.some((one) => one.name === name))
      throw new SamlError("binding", `The parameter ${name} is there twice or badly encoded`);
    found.push({ name, raw: part.slice(at + 1) });
  }
  return found;
}

/** Returns the name decoded. Names of parameters that are not ours may be anything. */
function decodedName(written: string): string {
  try {
    return decodeURIComponent(written.replaceAll("+", " ")).trim();
  } catch {
    return written;
  }
}

function decodeRaw(raw: string): string {
  try {
    return decodeURIComponent(raw);
  } catch (cause) {
    throw new SamlError("binding", "A parameter is badly encoded", { cause });
  }
}

/**
 * Returns the signature, which covers the parameters as they were sent (SAML bindings §3.4.4.1), in the order of the standard and not in that of the query
 * (gosaml2 sorts by name).
 */
function detachedSignature(parameters: readonly RawParameter[]): DetachedSignature | null {
  const of = (name: Name) => parameters.find((parameter) => parameter.name === name);
  const algorithm = of("SigAlg");
  const signature = of("Signature");
  if (!algorithm && !signature) return null;
  if (!algorithm || !signature) throw new SamlError("binding", "SigAlg and Signature come together");
  const signed = SIGNED.flatMap((name) => of(name) ?? []);
  return {
    algorithm: decodeRaw(algorithm.raw),
    value: decodeBase64(decodeRaw(signature.raw), "binding", "Signature"),
    data: Buffer.from(signed.map(({ name, raw }) => `${name}=${raw}`).join("&")),
  };
}

/**
 * Inflates a message (RFC 1951) up to the size limit, because a small query can inflate without end. It runs in the event loop: the way to another thread and
 * back costs twice as much as inflating, and up to the limit it takes less time than parsing the result.
 */
function inflated(deflated: Buffer): Buffer {
  // With `info` Node also returns the engine, which its types do not know.
  const inflate = inflateRawSync as unknown as (bytes: Buffer, options: object) => { buffer: Buffer; engine: InflateRaw };
  let result: ReturnType<typeof inflate>;
  try {
    result = inflate(deflated, { maxOutputLength: MESSAGE_LIMITS.bytes, info: true });
  } catch (cause) {
    const large = cause instanceof Error && "code" in cause && cause.code === "ERR_BUFFER_TOO_LARGE";
    throw new SamlError(large ? "size" : "binding", large ? "The message is too large" : "The message is not deflated", { cause });
  }
  if (result.engine.bytesWritten !== deflated.length) throw new SamlError("binding", "Something follows the deflated message");
  return result.buffer;
}

export interface RedirectOptions {
  readonly location: string;
  readonly message: Fragment;
  readonly relayState?: string | null;
  /** The key to sign with. Null for an unsigned message. */
  readonly key: SigningKey | null;
}

/** Returns the URL of a message by the Redirect binding (SAML bindings §3.4.4.1). The message itself contains no signature. */
export async function redirectUrl({ location, message, relayState, key }: RedirectOptions): Promise<string> {
  if (message.rendered) throw new TypeError("A signed message does not go by Redirect: the query is signed instead");
  const xml = deflateRawSync(Buffer.from(render(message)));
  const parts = [`${parameterFor(message.name)}=${encodeURIComponent(xml.toString("base64"))}`];
  if (relayState) parts.push(`RelayState=${encodeURIComponent(relayState)}`);
  if (key) {
    parts.push(`SigAlg=${encodeURIComponent(key.algorithm)}`);
    const signature = await key.sign(Buffer.from(parts.join("&")));
    parts.push(`Signature=${encodeURIComponent(Buffer.from(signature).toString("base64"))}`);
  }
  return withQuery(location, parts);
}

export const withQuery = (location: string, parts: readonly string[]): string =>
  `${location}${location.includes("?") ? "&" : "?"}${parts.join("&")}`;
