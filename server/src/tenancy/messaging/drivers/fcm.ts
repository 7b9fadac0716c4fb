import { createPrivateKey } from "node:crypto";
import Type, { type Static } from "typebox";
import { clock, MINUTE, SECOND } from "../../../kernel/clock.ts";
import { withoutEnding } from "../../../kernel/text.ts";
import { type OutboundResponse, urlFaults } from "../../../platform/outbound/index.ts";
import { type Delivery, type Envelope, type FieldFault, type MessageDriver, MessageError, type Provider } from "../driver.ts";
import { isDeviceToken } from "../recipients.ts";
import { ask, failureOf, idOr, isSuccess, membersOf, refusal } from "./answers.ts";
import { urlText } from "./config.ts";
import { perProviderCache } from "./per-provider-cache.ts";

const FcmConfig = Type.Object(
  { baseUrl: Type.Optional({ ...urlText, description: "the https URL of a relay in place of https://fcm.googleapis.com" }) },
  { additionalProperties: false },
);
type FcmConfig = Static<typeof FcmConfig>;

const BASE_URL = "https://fcm.googleapis.com";
const SCOPE = "https://www.googleapis.com/auth/firebase.messaging";
/** A token is renewed this long before it expires, so that it does not expire on the way. */
const EARLY = MINUTE;

/** The members of a service account's JSON key file that a message needs. */
interface ServiceAccount {
  readonly project_id: string;
  readonly client_email: string;
  readonly private_key: string;
  readonly private_key_id: string | undefined;
  readonly token_uri: string;
}

interface AccessToken {
  readonly value: string;
  readonly until: number;
}

const tokens = perProviderCache<Promise<AccessToken>>();

/** Push to Android, and to other devices that Firebase reaches, by the HTTP v1 API. */
export const fcm: MessageDriver = {
  channel: "PUSH",
  config: FcmConfig,
  secret: { required: true, what: "the JSON key file of a service account" },
  needsFromAddress: false,
  addresses: (config) => [(config as FcmConfig).baseUrl ?? BASE_URL],

  check(provider, outbound) {
    const { baseUrl } = provider.config as FcmConfig;
    const faults: FieldFault[] = baseUrl === undefined ? [] : urlFaults(outbound, "config.baseUrl", baseUrl);
    if (provider.secret === null) return faults;
    const account = readServiceAccount(provider.secret);
    if (typeof account === "string") return [...faults, { field: "secret", message: account }];
    return urlFaults(outbound, "secret", account.token_uri).length === 0
      ? faults
      : [...faults, { field: "secret", message: "secret: token_uri must be an https URL that this server may call" }];
  },

  async send(provider, envelope, delivery) {
    if (!isDeviceToken(envelope.to)) throw new MessageError("recipient", new Error("not a device token"));
    const account = readServiceAccount(provider.secret ?? "");
    if (typeof account === "string") throw new MessageError("credentials", new Error(account));
    const token = await accessToken(provider, account, delivery);
    const { baseUrl = BASE_URL } = provider.config as FcmConfig;
    const answer = await ask(delivery, `${withoutEnding(baseUrl, "/")}/v1/projects/${account.project_id}/messages:send`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ message: messageOf(envelope) }),
    });
    const members = membersOf(answer);
    if (!isSuccess(answer.status)) {
      // The token was revoked before its expiry, so the next attempt requests another.
      if (answer.status === 401) forget(provider, delivery);
      throw failureOfAnswer(answer, members);
    }
    return { messageId: idOr(envelope.id, members.name) };
  },
};

/** https://firebase.google.com/docs/reference/fcm/rest/v1/projects.messages */
function messageOf({ id, to, subject, text, data, expiresAt }: Envelope) {
  const ttl = expiresAt == null ? null : Math.max(0, Math.floor((expiresAt - clock.now()) / SECOND));
  return {
    token: to,
    notification: { ...(subject !== null && { title: subject }), body: text },
    data: { ...data, messageId: id },
    android: {
      priority: "HIGH",
      ...(ttl !== null && { ttl: `${ttl}s` }),
      // A repetition replaces the message that is already shown.
      notification: { tag: id },
    },
  };
}

interface FcmError {
  readonly status?: unknown;
  readonly details?: readonly { readonly errorCode?: unknown; readonly fieldViolations?: readonly { readonly field?: unknown }[] }[];
}

/** https://firebase.google.com/docs/reference/fcm/rest/v1/ErrorCode */
function failureOfAnswer({ status, headers }: OutboundResponse, members: Readonly<Record<string, unknown>>): MessageError {
  const error = (typeof members.error === "object" && members.error !== null ? members.error : {}) as FcmError;
  const details = Array.isArray(error.details) ? error.details.filter((detail) => typeof detail === "object" && detail !== null) : [];
  const code = String(details.find(({ errorCode }) => typeof errorCode === "string")?.errorCode ?? error.status ?? "");
  const violations = details.flatMap(({ fieldViolations }) => (Array.isArray(fieldViolations) ? fieldViolations : []));
  const ofToken = violations.some((violation) => violation?.field === "message.token");
  // Other 404s and SENDER_ID_MISMATCH result from a wrong project or address, and a refused recipient would lose the device.
  if (code === "UNREGISTERED" || ofToken) return refusal("recipient", status, headers, code);
  return refusal(code === "QUOTA_EXCEEDED" ? "throttled" : failureOf(status), status, headers, code);
}

/** Returns an access token, which is kept until shortly before its expiry. Messages that leave at once share one request for it. */
async function accessToken(provider: Provider, account: ServiceAccount, delivery: Delivery): Promise<string> {
  const { outbound } = delivery;
  const kept = tokens.get(outbound, provider);
  // A failed request is repeated.
  const token = await kept?.catch(() => null);
  if (token && token.until > clock.now()) return token.value;
  if (kept) tokens.drop(outbound, provider, kept);
  const requested = tokens.get(outbound, provider) ?? requestToken(account, delivery);
  tokens.set(outbound, provider, requested);
  return (await requested).value;
}

function forget(provider: Provider, { outbound }: Delivery): void {
  const kept = tokens.get(outbound, provider);
  if (kept) tokens.drop(outbound, provider, kept);
}

/** RFC 7523 §2.1: a JWT signed with the account's key is exchanged for an access token. */
async function requestToken(account: ServiceAccount, delivery: Delivery): Promise<AccessToken> {
  const { importPKCS8, SignJWT } = await import("jose");
  const now = clock.now();
  const seconds = Math.floor(now / SECOND);
  const assertion = await new SignJWT({ scope: SCOPE })
    .setProtectedHeader({ alg: "RS256", typ: "JWT", ...(account.private_key_id !== undefined && { kid: account.private_key_id }) })
    .setIssuer(account.client_email)
    .setAudience(account.token_uri)
    .setIssuedAt(seconds)
    .setExpirationTime(seconds + 3600)
    .sign(await importPKCS8(account.private_key, "RS256"));
  const answer = await ask(delivery, account.token_uri, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({ grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer", assertion }).toString(),
  });
  const { access_token: value, expires_in: lifetime, error } = membersOf(answer);
  const code = typeof error === "string" ? error : "";
  // RFC 6749 §5.2: the status of a refused grant is 400.
  if (!isSuccess(answer.status))
    throw refusal(answer.status === 400 ? "credentials" : failureOf(answer.status), answer.status, answer.headers, code);
  if (typeof value !== "string" || !/^[\x21-\x7e]{1,8192}$/.test(value))
    throw refusal("refused", answer.status, answer.headers, "no_token");
  const ends = typeof lifetime === "number" && Number.isFinite(lifetime) ? lifetime * SECOND : 0;
  return { value, until: now + ends - EARLY };
}

/** Returns the account, or a description of its fault. The description contains nothing of the account, because all of it is secret. */
function readServiceAccount(secret: string): ServiceAccount | string {
  let account: Record<string, unknown>;
  try {
    account = JSON.parse(secret);
    if (typeof account !== "object" || account === null) throw new TypeError("not an object");
  } catch {
    // The parser's own message would quote from the secret.
    return "secret must be the JSON key file of a service account";
  }
  const { project_id, client_email, private_key, private_key_id, token_uri = "https://oauth2.googleapis.com/token" } = account;
  if (typeof project_id !== "string" || !/^[a-z0-9:.-]{1,100}$/.test(project_id))
    return "secret: project_id is missing or not an identifier";
  if (typeof client_email !== "string" || !/^[\x21-\x7e]{3,320}$/.test(client_email))
    return "secret: client_email is missing or not an address";
  if (typeof token_uri !== "string" || !URL.canParse(token_uri)) return "secret: token_uri is not a URL";
  if (typeof private_key !== "string" || !isRsaKey(private_key)) return "secret: private_key is missing or not an RSA key in PEM form";
  const kid = typeof private_key_id === "string" ? private_key_id : undefined;
  return { project_id, client_email, private_key, private_key_id: kid, token_uri };
}

function isRsaKey(pem: string): boolean {
  try {
    return pem.startsWith("-----BEGIN PRIVATE KEY-----") && createPrivateKey(pem).asymmetricKeyType === "rsa";
  } catch {
    return false;
  }
}
