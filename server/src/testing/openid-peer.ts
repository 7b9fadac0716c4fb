import { createHash, createHmac, generateKeyPairSync, KeyObject, randomUUID, sign } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { clock } from "../kernel/clock.ts";

/** The first key is made once, because making RSA keys takes most of the time of a peer. */
let firstKey: ReturnType<typeof generateKeyPair> | undefined;

/** The peer's answer to an exchange, as a test configures it, right or wrong. */
export interface PeerAnswer {
  claims?: Record<string, unknown>;
  userinfo?: Record<string, unknown>;
  /** Replaces the signed token. */
  idToken?: string;
  /** Changes the ID token as an attacker on the way would. */
  forged?: (idToken: string) => string;
  /** The algorithm of the ID token. */
  alg?: string;
  /** The profile as a JWT (OpenID Connect Core §5.3.2), with these claims and this header. */
  signedUserinfo?: { claims?: Record<string, unknown>; alg?: string; forged?: (jwt: string) => string };
  tokenStatus?: number;
  tokenBody?: string;
  /** Further members of the token answer: a refresh token, its lifetime. */
  tokens?: Record<string, unknown>;
  /** The answer to a refresh. */
  refresh?: (call: PeerCall) => [number, unknown] | Promise<[number, unknown]>;
  /** False for OAuth 2 without an ID token. */
  hasIdToken?: boolean;
  /** The answers of other addresses, by path. They require the access token. */
  pages?: Record<string, unknown>;
  /** Returns true if the token endpoint accepts the caller as the client. */
  isClient?: (call: PeerCall) => unknown;
  /** True if the token endpoint answers every verifier with an error. */
  refusesPkce?: boolean;
}

export interface PeerCall {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly form: URLSearchParams;
  readonly headers: IncomingMessage["headers"];
}

type Hang = "silent" | "headers" | "body";

/** Writes a byte now and then, as long as the other side listens. */
function drip(socket: Socket, how: Hang): void {
  if (how === "silent") return;
  socket.write(`HTTP/1.1 200 OK\r\n${how === "body" ? "content-type: application/json\r\n\r\n" : ""}`);
  const dripping = setInterval(() => socket.write(how === "body" ? " " : "x-more: 1\r\n"), 50);
  socket.once("close", () => clearInterval(dripping));
}

/** Starts an OpenID provider on this machine that tests play. */
export async function openidPeer() {
  firstKey ??= generateKeyPair("RS256");
  let key = await firstKey;
  let kid = "peer-key";
  const calls: PeerCall[] = [];
  let next: PeerAnswer = {};
  let requested = new URLSearchParams();
  let discovery: Record<string, unknown> = {};
  let discovered: [number, string] | null = null;
  let issuer = "";
  const hanging = new Map<string, Hang>();
  let pause = 0;

  const idToken = async () => next.idToken ?? (next.forged ?? String)(await signed());
  const signed = () =>
    new SignJWT({ sub: "subject-1", email: "ada@example.com", email_verified: true, ...next.claims })
      .setProtectedHeader({ alg: next.alg ?? "RS256", kid: String(next.claims?.kid ?? kid) })
      .setIssuer(String(next.claims?.iss ?? issuer))
      .setAudience((next.claims?.aud as string) ?? "gatehouse")
      .setIssuedAt((next.claims?.iat as number) ?? Math.floor(clock.now() / 1000))
      .setExpirationTime((next.claims?.exp as number) ?? Math.floor(clock.now() / 1000) + 300)
      .sign(KeyObject.from(key.privateKey));

  const signedProfile = async ({ claims, alg = "RS256", forged = String }: NonNullable<PeerAnswer["signedUserinfo"]>) =>
    forged(
      await new SignJWT({ sub: "subject-1", iss: issuer, aud: "gatehouse", ...next.userinfo, ...claims })
        .setProtectedHeader({ alg, kid })
        .sign(KeyObject.from(key.privateKey)),
    );

  /** Answers an exchange with the checks of a strict token endpoint (RFC 6749 §4.1.3, RFC 7636 §4.6). */
  const exchange = async (call: PeerCall): Promise<[number, unknown]> => {
    const { form } = call;
    if (form.get("grant_type") === "refresh_token") return (await next.refresh?.(call)) ?? [400, { error: "invalid_grant" }];
    if (!((await next.isClient?.(call)) ?? true)) return [401, { error: "invalid_client" }];
    const verifier = form.get("code_verifier");
    const challenge = verifier === null ? null : createHash("sha256").update(verifier).digest("base64url");
    if (
      challenge !== requested.get("code_challenge") ||
      form.get("redirect_uri") !== requested.get("redirect_uri") ||
      form.get("code") !== "a-code"
    )
      return [400, { error: "invalid_grant" }];
    if (next.refusesPkce && verifier !== null) return [401, { error: "invalid_client" }];
    const tokens = {
      access_token: "at",
      token_type: "Bearer",
      ...next.tokens,
      ...(next.hasIdToken !== false && { id_token: await idToken() }),
    };
    return [next.tokenStatus ?? 200, next.tokenBody ?? tokens];
  };

  const answerTo = async (call: PeerCall): Promise<[number, unknown]> => {
    const { path, headers } = call;
    if (next.pages?.[path] !== undefined) return headers.authorization === "Bearer at" ? [200, next.pages[path]] : [401, {}];
    switch (path) {
      case "/.well-known/openid-configuration":
        if (discovered) return discovered;
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
        return [200, { keys: [{ ...(await exportJWK(key.publicKey)), kid, use: "sig" }] }];
      case "/token":
        return exchange(call);
      case "/userinfo":
        if (next.signedUserinfo) return [200, await signedProfile(next.signedUserinfo)];
        return [200, { sub: next.claims?.sub ?? "subject-1", ...next.userinfo }];
      default:
        return [404, {}];
    }
  };

  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { pathname: path, searchParams: query } = new URL(request.url ?? "/", "http://peer");
    const call = { path, query, form: new URLSearchParams(Buffer.concat(chunks).toString()), headers: request.headers };
    calls.push(call);
    const how = hanging.get(path);
    if (how !== undefined) return drip(request.socket, how);
    await wait(pause);
    const [status, body] = await answerTo(call);
    const type = path === "/userinfo" && next.signedUserinfo ? "application/jwt" : "application/json";
    response.writeHead(status, { "content-type": type, ...(status === 302 && { location: `${issuer}/elsewhere` }) });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    issuer,
    calls,
    /** Uses other keys afterwards. */
    async rotate() {
      key = await generateKeyPair("RS256");
      kid = `peer-key-${calls.length}`;
    },
    /** Returns a token that the provider signs: a logout token, unless the claims say otherwise. */
    sign: (claims: Record<string, unknown>, header: Record<string, unknown> = { typ: "logout+jwt" }) => {
      const now = Math.floor(clock.now() / 1000);
      const events = { "http://schemas.openid.net/event/backchannel-logout": {} };
      return new SignJWT({ iss: issuer, aud: "gatehouse", iat: now, exp: now + 120, jti: randomUUID(), events, ...claims })
        .setProtectedHeader({ alg: "RS256", kid, ...header })
        .sign(KeyObject.from(key.privateKey));
    },
    /** Makes an address never answer, or never end its answer. */
    hang: (path: string, how: Hang) => void hanging.set(path, how),
    /** Sets the time that each answer takes. */
    slow: (milliseconds: number) => {
      pause = milliseconds;
    },
    /** Sets the peer's answer without a sign-in. */
    answer: (answer: PeerAnswer) => {
      next = answer;
    },
    /** Replaces the whole discovery document. */
    discoverAs: (text: string, status = 200) => {
      discovered = [status, text];
    },
    discover: (document: Record<string, unknown>) => {
      discovery = document;
    },
    /** Signs a user in there. Returns the query of the authorization response. */
    signIn(left: URL, answer: PeerAnswer = {}): Record<string, string> {
      requested = left.searchParams;
      next = { ...answer, claims: { nonce: left.searchParams.get("nonce"), ...answer.claims } };
      return { code: "a-code", iss: issuer, state: left.searchParams.get("state")! };
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
export type OpenidPeer = Awaited<ReturnType<typeof openidPeer>>;

/** Returns the token with other content and the old signature. */
export function withOtherContent(jwt: string, claims: Record<string, unknown>): string {
  const [head, body, signature] = jwt.split(".");
  const content = { ...JSON.parse(Buffer.from(body!, "base64url").toString()), ...claims };
  return `${head}.${Buffer.from(JSON.stringify(content)).toString("base64url")}.${signature}`;
}

/** Returns the token signed by a foreign key under the provider's key id, or by a secret. */
export function signedByAnother(jwt: string, secret?: string): string {
  const [head, body] = jwt.split(".");
  const header = { ...JSON.parse(Buffer.from(head!, "base64url").toString()), ...(secret !== undefined && { alg: "HS256" }) };
  const text = `${Buffer.from(JSON.stringify(header)).toString("base64url")}.${body}`;
  const key = secret === undefined ? generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey : null;
  const signature = key ? sign("sha256", Buffer.from(text), key) : createHmac("sha256", secret!).update(text).digest();
  return `${text}.${signature.toString("base64url")}`;
}
