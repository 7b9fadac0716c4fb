import { createPrivateKey } from "node:crypto";
import { type ClientHttp2Session, connect, constants, type IncomingHttpHeaders, type IncomingHttpStatusHeader } from "node:http2";
import type { TLSSocket } from "node:tls";
import Type, { type Static } from "typebox";
import { clock, MINUTE, SECOND } from "../../../kernel/clock.ts";
import { isId } from "../../../kernel/ids.ts";
import { oneOf } from "../../../platform/http/index.ts";
import { type Outbound, urlFaults } from "../../../platform/outbound/index.ts";
import {
  type Delivery,
  type Envelope,
  type FieldFault,
  type MessageDriver,
  MessageError,
  type MessageFailure,
  type Provider,
} from "../driver.ts";
import { idOr, membersOf, refusal } from "./answers.ts";
import { urlText } from "./config.ts";
import { perProviderCache } from "./per-provider-cache.ts";

const identifier = (description: string) => Type.String({ pattern: "^[A-Za-z0-9]{10}$", description });

const ApnsConfig = Type.Object(
  {
    keyId: identifier("the id of the key: ten characters"),
    teamId: identifier("the id of the team: ten characters"),
    topic: Type.String({
      pattern: "^[A-Za-z0-9.-]{1,255}$",
      description: "the bundle identifier of the app",
      examples: ["com.example.app"],
    }),
    environment: Type.Optional(oneOf(["production", "sandbox"], { description: "Default production" })),
    baseUrl: Type.Optional({ ...urlText, description: "the https URL of a relay in place of Apple's own hosts" }),
  },
  { additionalProperties: false },
);
type ApnsConfig = Static<typeof ApnsConfig>;

const HOSTS = { production: "https://api.push.apple.com", sandbox: "https://api.sandbox.push.apple.com" } as const;
/** The time for which a token is used. Apple refuses tokens that are older than an hour, and more than one new token in twenty minutes. */
const TOKEN_AGE = 40 * MINUTE;
const IDLE = MINUTE;
const GRACE = 15 * SECOND;
const MAX_ANSWER = 8 * 1024;

interface Kept {
  readonly session: Promise<ClientHttp2Session>;
}
const tokens = perProviderCache<{ readonly value: string; readonly until: number }>();
const sessions = perProviderCache<Kept>((kept) => void kept.session.then(endSession, () => {}));

const addressOf = ({ baseUrl, environment = "production" }: ApnsConfig): string => baseUrl ?? HOSTS[environment];

/** Push to Apple's devices, over HTTP/2 with a signed token. */
export const apns: MessageDriver = {
  channel: "PUSH",
  config: ApnsConfig,
  secret: { required: true, what: "the .p8 key of the team, in PEM form" },
  needsFromAddress: false,
  addresses: (config) => [addressOf(config as ApnsConfig)],

  check(provider, outbound) {
    const { baseUrl } = provider.config as ApnsConfig;
    const faults: FieldFault[] = baseUrl === undefined ? [] : urlFaults(outbound, "config.baseUrl", baseUrl);
    if (baseUrl !== undefined && !/^https:/i.test(baseUrl))
      faults.push({ field: "config.baseUrl", message: "config.baseUrl must begin with https" });
    if (provider.secret !== null && !isP256Key(provider.secret))
      faults.push({ field: "secret", message: "secret must be a .p8 key: a P-256 private key in PEM form" });
    return faults;
  },

  async send(provider, envelope, delivery) {
    if (!/^[0-9a-fA-F]{8,200}$/.test(envelope.to)) throw new MessageError("recipient", new Error("not a device token"));
    const headers = {
      ...headersOf(envelope, provider.config as ApnsConfig),
      authorization: `bearer ${await providerToken(provider, delivery)}`,
    };
    const answer = await post(provider, delivery, headers, JSON.stringify(payloadOf(envelope)));
    if (answer.status === 200) return { messageId: idOr(envelope.id, answer.headers["apns-id"]) };
    const { reason } = membersOf(answer);
    const code = typeof reason === "string" ? reason : "";
    // Apple did not accept the token, so the next attempt signs another.
    if (answer.status === 403) forgetToken(provider, delivery);
    throw refusal(failureOf(answer.status, code), answer.status, answer.headers, code);
  },
};

function headersOf({ id, to, expiresAt }: Envelope, { topic }: ApnsConfig): Record<string, string> {
  return {
    ":method": "POST",
    ":path": `/3/device/${to}`,
    "apns-topic": topic,
    "apns-push-type": "alert",
    "apns-priority": "10",
    // Epoch seconds. 0 would mean that the message is delivered now or never.
    ...(expiresAt != null && { "apns-expiration": String(Math.max(1, Math.floor(expiresAt / SECOND))) }),
    ...(isId(id) && { "apns-id": id }),
    // A repetition replaces the message that is already shown.
    ...(id.length <= 64 && { "apns-collapse-id": id }),
    "content-type": "application/json",
  };
}

const payloadOf = ({ id, subject, text, data }: Envelope) => ({
  ...data,
  messageId: id,
  aps: { alert: { ...(subject !== null && { title: subject }), body: text }, sound: "default" },
});

// "DeviceTokenNotForTopic" is not listed: its cause is a wrong topic, and a refused recipient would lose the device.
const RECIPIENT_REASONS = ["BadDeviceToken", "Unregistered", "ExpiredToken"];

/** https://developer.apple.com/documentation/usernotifications/handling-notification-responses-from-apns */
function failureOf(status: number, reason: string): MessageFailure {
  if (RECIPIENT_REASONS.includes(reason)) return "recipient";
  // This includes "TooManyProviderTokenUpdates", which also requires fewer requests.
  if (status === 429) return "throttled";
  if (status === 401 || status === 403) return "credentials";
  return status === 400 || status === 413 ? "rejected" : "refused";
}

async function providerToken(provider: Provider, { outbound }: Delivery): Promise<string> {
  const kept = tokens.get(outbound, provider);
  if (kept && kept.until > clock.now()) return kept.value;
  const { keyId, teamId } = provider.config as ApnsConfig;
  const { importPKCS8, SignJWT } = await import("jose");
  const key = await importPKCS8((provider.secret ?? "").trim(), "ES256").catch(() => {
    throw new MessageError("credentials", new Error("the secret is not a P-256 key"));
  });
  const now = clock.now();
  const value = await new SignJWT()
    .setProtectedHeader({ alg: "ES256", kid: keyId })
    .setIssuer(teamId)
    .setIssuedAt(Math.floor(now / SECOND))
    .sign(key);
  tokens.set(outbound, provider, { value, until: now + TOKEN_AGE });
  return value;
}

function forgetToken(provider: Provider, { outbound }: Delivery): void {
  const kept = tokens.get(outbound, provider);
  if (kept) tokens.drop(outbound, provider, kept);
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  text(): string;
}

/** Posts over the one lasting connection that Apple expects. If it turns out to be dead, it is replaced immediately, not at the next attempt. */
async function post(provider: Provider, delivery: Delivery, headers: Record<string, string>, body: string): Promise<Answer> {
  const { outbound, signal } = delivery;
  const kept = sessions.get(outbound, provider);
  if (kept) {
    try {
      return await exchange(await kept.session, headers, body, signal);
    } catch (error) {
      sessions.drop(outbound, provider, kept);
      if (signal.aborted || !(error instanceof BrokenSession)) throw error;
    }
  }
  const fresh: Kept = { session: open(provider, outbound, signal, () => sessions.drop(outbound, provider, fresh)) };
  sessions.set(outbound, provider, fresh);
  try {
    return await exchange(await fresh.session, headers, body, signal);
  } catch (error) {
    sessions.drop(outbound, provider, fresh);
    throw error instanceof BrokenSession ? new MessageError("unreachable", error) : error;
  }
}

async function open(provider: Provider, outbound: Outbound, signal: AbortSignal, ended: () => void): Promise<ClientHttp2Session> {
  const url = new URL(addressOf(provider.config as ApnsConfig));
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  const socket = await outbound.connect({ host, port: Number(url.port || 443), tls: true, alpn: ["h2"], signal });
  if ((socket as TLSSocket).alpnProtocol !== "h2") {
    socket.destroy();
    throw new MessageError("unreachable", new Error("the peer does not speak HTTP/2"));
  }
  const session = connect(url.origin, { createConnection: () => socket, settings: { enablePush: false } });
  // An idle connection must not keep the process alive.
  session.unref();
  session.setTimeout(IDLE, () => session.close());
  // Streams report the error to their requests, so here the connection is only dropped.
  session.on("error", ended);
  session.on("goaway", ended);
  session.on("close", ended);
  return session;
}

/** Waits for open streams, for a limited time: a silent peer would keep the socket open. */
function endSession(session: ClientHttp2Session): void {
  session.close();
  setTimeout(() => session.destroy(), GRACE).unref();
}

/** The connection ended before there was an answer. */
class BrokenSession extends Error {}

function exchange(session: ClientHttp2Session, headers: Record<string, string>, body: string, signal: AbortSignal): Promise<Answer> {
  return new Promise((resolve, reject) => {
    if (session.closed || session.destroyed) throw new BrokenSession("the connection had ended");
    signal.throwIfAborted();
    const stream = session.request(headers);
    let answered: (IncomingHttpHeaders & IncomingHttpStatusHeader) | null = null;
    let text = "";
    const stop = () => {
      stream.close(constants.NGHTTP2_CANCEL);
      reject(signal.reason);
    };
    signal.addEventListener("abort", stop, { once: true });
    stream.setEncoding("utf8");
    stream.on("response", (received) => {
      answered = received;
    });
    stream.on("data", (chunk: string) => {
      text += chunk;
      if (text.length > MAX_ANSWER) stream.close(constants.NGHTTP2_CANCEL);
    });
    stream.on("error", (error) => reject(new BrokenSession("the connection broke", { cause: error })));
    stream.on("close", () => {
      signal.removeEventListener("abort", stop);
      if (answered === null) return reject(new BrokenSession("the connection ended without an answer"));
      resolve({ status: Number(answered[":status"]), headers: answered, text: () => text });
    });
    stream.end(body);
  });
}

function isP256Key(pem: string): boolean {
  try {
    return pem.trim().startsWith("-----BEGIN PRIVATE KEY-----") && createPrivateKey(pem).asymmetricKeyDetails?.namedCurve === "prime256v1";
  } catch {
    return false;
  }
}
