import { createPublicKey, generateKeyPairSync } from "node:crypto";
import type { ServerResponse } from "node:http";
import { type JWTPayload, jwtVerify } from "jose";
import { newId } from "../kernel/ids.ts";
import { apnsPeer } from "./apns-peer.ts";
import { type SeenRequest, sendJson } from "./https-peer.ts";
import { type Arrived, type Behaviour, type DriverPeer, PEER_HOST, type PeerParts } from "./message-driver-conformance.ts";
import { httpsDriverPeer, namesOf, providerOf, withSecret } from "./message-peers.ts";
import { writeForEver } from "./peer-sockets.ts";

export interface FcmPeer extends DriverPeer {
  /** The assertions that were exchanged for a token. */
  readonly grants: JWTPayload[];
  /** The bodies of the messages. */
  readonly messages: { token: string; android: { ttl?: string; notification: { tag: string } }; data: Record<string, string> }[];
  /** Makes every token that the peer has issued invalid. */
  revoke(): void;
  /** Sets the answer to all messages. */
  answerWith(status: number, body: unknown): void;
}

export async function fcmDriverPeer(parts: PeerParts): Promise<FcmPeer> {
  const [ours, others] = rsaKeys();
  const grants: JWTPayload[] = [];
  const messages: FcmPeer["messages"] = [];
  const tokens = new Set<string>();
  let fixed: { status: number; body: unknown } | null = null;
  const tokenUri = () => `${peer.url}/token`;

  const exchangeGrant = async (request: SeenRequest, response: ServerResponse) => {
    const form = new URLSearchParams(request.body);
    const expected = { issuer: "sender@acme.iam.example.com", audience: tokenUri(), algorithms: ["RS256"] };
    try {
      if (form.get("grant_type") !== "urn:ietf:params:oauth:grant-type:jwt-bearer") throw new Error("another grant");
      // The peer does not share our clock, which tests move, so the time in the token counts as the present.
      const currentDate = new Date(
        Number(JSON.parse(Buffer.from(form.get("assertion")!.split(".")[1]!, "base64url").toString()).iat) * 1000,
      );
      const { payload } = await jwtVerify(form.get("assertion") ?? "", createPublicKey(ours), { ...expected, currentDate });
      grants.push(payload);
      const token = `token-${grants.length}-${newId()}`;
      tokens.add(token);
      sendJson(response, 200, { access_token: token, expires_in: 3600, token_type: "Bearer" });
    } catch {
      sendJson(response, 400, { error: "invalid_grant", error_description: request.body });
    }
  };

  const peer = await httpsDriverPeer(parts, async (request, response, behaviour, arrived) => {
    if (request.path === "/token") return exchangeGrant(request, response);
    if (fixed) return sendJson(response, fixed.status, fixed.body);
    if (request.path !== "/v1/projects/acme-app/messages:send") return sendJson(response, 404, {});
    const refuse = (status: number, errorCode: string, headers: Record<string, string> = {}) =>
      sendJson(
        response,
        status,
        { error: { code: status, message: JSON.stringify(request), status: errorCode, details: [{ errorCode }] } },
        headers,
      );
    if (!tokens.has(String(request.headers.authorization).replace(/^Bearer /, ""))) return refuse(401, "UNAUTHENTICATED");
    if (behaviour === "refuse recipient") return refuse(404, "UNREGISTERED");
    if (behaviour === "throttle") return refuse(429, "QUOTA_EXCEEDED", { "retry-after": "60" });
    const { message } = JSON.parse(request.body);
    messages.push(message);
    arrived.push({
      id: message.data.messageId,
      to: [message.token],
      from: null,
      title: message.notification.title,
      text: message.notification.body,
      html: null,
      headers: namesOf(request),
    });
    sendJson(response, 200, { name: "projects/acme-app/messages/1" });
  });
  const secretWith = (key: string) =>
    JSON.stringify({
      type: "service_account",
      project_id: "acme-app",
      private_key_id: "k1",
      private_key: key,
      client_email: "sender@acme.iam.example.com",
      token_uri: tokenUri(),
    });
  const provider = providerOf("PUSH", "fcm", { config: { baseUrl: peer.url }, secret: secretWith(ours) });
  return {
    ...peer,
    provider,
    withWrongSecret: withSecret(provider, secretWith(others)),
    to: "fcm-token_0123456789:APA91b-abcdef",
    grants,
    messages,
    revoke: () => tokens.clear(),
    answerWith: (status, body) => {
      fixed = { status, body };
    },
  };
}

const rsaKey = () => generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey.export({ type: "pkcs8", format: "pem" }).toString();
/** The keys are made once: each takes as long as a dozen tests. */
let madeKeys: readonly [string, string] | undefined;
const rsaKeys = () => {
  madeKeys ??= [rsaKey(), rsaKey()];
  return madeKeys;
};
const p256Key = () => generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ type: "pkcs8", format: "pem" }).toString();

export interface ApnsDriverPeer extends DriverPeer {
  /** The headers of the messages, with their tokens. */
  readonly requests: Record<string, unknown>[];
  /** The signed token of each request. */
  readonly tokens: string[];
  /** Sets the answer to all messages. */
  answerWith(status: number, reason: string): void;
  /** Ends every connection, with or without a GOAWAY. */
  hangUp(how: "goaway" | "destroy"): void;
}

export async function apnsDriverPeer({ authority, trap }: PeerParts): Promise<ApnsDriverPeer> {
  const [ours, others] = [p256Key(), p256Key()];
  let behaviour: Behaviour = "accept";
  let written = 0;
  const arrived: Arrived[] = [];
  const requests: Record<string, unknown>[] = [];
  const tokens: string[] = [];
  let fixed: { status: number; reason: string } | null = null;
  const peer = await apnsPeer(await authority.identity(PEER_HOST), async ({ path, headers, body }, stream) => {
    const answer = (status: number, reason?: string, more: Record<string, string> = {}) => {
      stream.respond({ ":status": status, ...more });
      stream.end(reason === undefined ? "" : JSON.stringify({ reason, echo: headers }));
    };
    tokens.push(String(headers.authorization));
    if (fixed) return answer(fixed.status, fixed.reason);
    if (behaviour === "hang") return;
    if (behaviour === "redirect") return answer(307, undefined, { location: trap });
    if (behaviour === "fail") return answer(503, "ServiceUnavailable");
    if (behaviour === "endless") {
      stream.respond({ ":status": 200 });
      written = await writeForEver(stream, "x".repeat(16_000));
      return;
    }
    try {
      const token = String(headers.authorization).replace(/^bearer /, "");
      const currentDate = new Date(Number(JSON.parse(Buffer.from(token.split(".")[1]!, "base64url").toString()).iat) * 1000);
      const { protectedHeader } = await jwtVerify(token, createPublicKey(ours), {
        issuer: "TEAM123456",
        algorithms: ["ES256"],
        currentDate,
      });
      if (protectedHeader.kid !== "KEY1234567") throw new Error("another key");
    } catch {
      return answer(403, "InvalidProviderToken");
    }
    if (behaviour === "refuse recipient") return answer(410, "Unregistered");
    if (behaviour === "throttle") return answer(429, "TooManyRequests");
    const payload = JSON.parse(body);
    requests.push({ ...headers });
    arrived.push({
      id: String(headers["apns-id"]),
      to: [path.replace("/3/device/", "")],
      from: null,
      title: payload.aps.alert.title,
      text: payload.aps.alert.body,
      html: null,
      headers: Object.keys(headers),
    });
    answer(200, undefined, { "apns-id": String(headers["apns-id"]) });
  });
  const provider = providerOf("PUSH", "apns", {
    config: { keyId: "KEY1234567", teamId: "TEAM123456", topic: "com.example.app", baseUrl: `https://${PEER_HOST}:${peer.port}` },
    secret: ours,
  });
  return {
    provider,
    withWrongSecret: withSecret(provider, others),
    to: "0123456789abcdef".repeat(4),
    arrived,
    requests,
    tokens,
    listening: peer,
    behave: (next) => {
      behaviour = next;
    },
    written: () => written,
    answerWith: (status, reason) => {
      fixed = { status, reason };
    },
    hangUp: (how) => {
      for (const session of peer.sessions) how === "goaway" ? session.close() : session.destroy();
    },
  };
}
