import { SignJWT } from "jose";
import { clock, SECOND } from "../../kernel/clock.ts";
import { newId } from "../../kernel/ids.ts";
import type { ProviderSnapshot } from "../providers/provider.ts";
import { type Endpoints, UpstreamError } from "./metadata.ts";
import type { Quirks } from "./quirks.ts";
import { readSigningKey } from "./signing-key.ts";

interface Authenticated {
  readonly headers: Readonly<Record<string, string>>;
  readonly members: Readonly<Record<string, string>>;
}

/** RFC 6749 §2.3.1: client id and secret are form-encoded first. */
const formEncoded = (text: string) => encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);

/** Authenticates this realm as the client of a provider. */
export async function authenticateTo(
  provider: ProviderSnapshot,
  { tokenUrl, authMethods }: Endpoints,
  quirks: Quirks,
): Promise<Authenticated> {
  const { config, secrets } = provider;
  const clientId = String(config.clientId);
  const { clientSecret = "", privateKey } = secrets;
  if (quirks.credentials) return { headers: {}, members: await quirks.credentials(provider) };
  switch (config.clientAuthMethod ?? automatic()) {
    case "none":
      return { headers: {}, members: { client_id: clientId } };
    case "client_secret_basic": {
      const credentials = Buffer.from(`${formEncoded(clientId)}:${formEncoded(clientSecret)}`).toString("base64");
      return { headers: { authorization: `Basic ${credentials}` }, members: {} };
    }
    case "private_key_jwt": {
      // RFC 7523 §2.2
      const assertion = await signedAssertion(privateKey, clientId, { ...config, iss: clientId, aud: tokenUrl });
      const type = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
      return { headers: {}, members: { client_id: clientId, client_assertion_type: type, client_assertion: assertion } };
    }
    default:
      return { headers: {}, members: { client_id: clientId, client_secret: clientSecret } };
  }

  /** Prefers client_secret_post to client_secret_basic, because several providers do not decode the encoding that RFC 6749 requires. */
  function automatic(): string {
    if (privateKey !== undefined) return "private_key_jwt";
    const onlyBasic = authMethods?.includes("client_secret_basic") && !authMethods.includes("client_secret_post");
    return onlyBasic ? "client_secret_basic" : "client_secret_post";
  }
}

/** RFC 7523 §3: makes a new assertion for each request, valid for five minutes. */
export async function signedAssertion(
  pem: string | undefined,
  subject: string,
  { iss, aud, keyId }: { readonly iss: string; readonly aud: string; readonly keyId?: unknown },
): Promise<string> {
  const found = pem === undefined ? null : readSigningKey(pem);
  if (!found) throw new UpstreamError("configuration", "The provider has no private key to sign with.");
  const now = Math.floor(clock.now() / SECOND);
  return new SignJWT({ jti: newId() })
    .setProtectedHeader({ alg: found.alg, ...(typeof keyId === "string" && { kid: keyId }) })
    .setIssuer(iss)
    .setSubject(subject)
    .setAudience(aud)
    .setIssuedAt(now)
    .setExpirationTime(now + 300)
    .sign(found.key);
}
