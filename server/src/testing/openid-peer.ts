import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { clock } from "../kernel/clock.ts";

/** What the peer answers to an exchange: whatever a test wants it to say, right or wrong. */
export interface PeerAnswer {
  claims?: Record<string, unknown>;
  userinfo?: Record<string, unknown>;
  /** Instead of a signed token. */
  idToken?: string;
  alg?: string;
  tokenStatus?: number;
  tokenBody?: string;
}

/** An OpenID provider on this machine that tests speak for. */
export async function openidPeer() {
  const key = await generateKeyPair("RS256");
  const kid = "peer-key";
  const calls: { path: string; form: URLSearchParams; headers: IncomingMessage["headers"] }[] = [];
  let next: PeerAnswer = {};
  let discovery: Record<string, unknown> = {};
  let issuer = "";

  const idToken = async () =>
    next.idToken ??
    new SignJWT({ sub: "subject-1", email: "ada@example.com", email_verified: true, ...next.claims })
      .setProtectedHeader({ alg: "RS256", kid: String(next.claims?.kid ?? kid) })
      .setIssuer(String(next.claims?.iss ?? issuer))
      .setAudience((next.claims?.aud as string) ?? "gatehouse")
      .setIssuedAt((next.claims?.iat as number) ?? Math.floor(clock.now() / 1000))
      .setExpirationTime((next.claims?.exp as number) ?? Math.floor(clock.now() / 1000) + 300)
      .sign(key.privateKey);

  const answerTo = async (path: string): Promise<[number, unknown]> => {
    switch (path) {
      case "/.well-known/openid-configuration":
        return [
          200,
          {
            issuer,
            authorization_endpoint: `${issuer}/authorize`,
            token_endpoint: `${issuer}/token`,
            userinfo_endpoint: `${issuer}/userinfo`,
            jwks_uri: `${issuer}/jwks`,
            authorization_response_iss_parameter_supported: true,
            ...discovery,
          },
        ];
      case "/jwks":
        return [200, { keys: [{ ...(await exportJWK(key.publicKey)), kid, alg: "RS256", use: "sig" }] }];
      case "/token":
        return [next.tokenStatus ?? 200, next.tokenBody ?? { access_token: "at", token_type: "Bearer", id_token: await idToken() }];
      case "/userinfo":
        return [200, { sub: next.claims?.sub ?? "subject-1", ...next.userinfo }];
      default:
        return [404, {}];
    }
  };

  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const path = new URL(request.url ?? "/", "http://peer").pathname;
    calls.push({ path, form: new URLSearchParams(Buffer.concat(chunks).toString()), headers: request.headers });
    const [status, body] = await answerTo(path);
    response.writeHead(status, { "content-type": "application/json", ...(status === 302 && { location: `${issuer}/elsewhere` }) });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    issuer,
    key,
    calls,
    discover: (document: Record<string, unknown>) => {
      discovery = document;
    },
    /** Somebody signs in there for what the browser left with. Answers the query that comes back. */
    signIn(left: URL, answer: PeerAnswer = {}): Record<string, string> {
      next = { ...answer, claims: { nonce: left.searchParams.get("nonce"), ...answer.claims } };
      return { code: "a-code", iss: issuer, state: left.searchParams.get("state")! };
    },
    close: () => new Promise<void>((resolve) => void server.close(() => resolve())),
  };
}
export type OpenidPeer = Awaited<ReturnType<typeof openidPeer>>;
