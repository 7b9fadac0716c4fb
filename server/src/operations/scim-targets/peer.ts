import { setTimeout as sleep } from "node:timers/promises";
import { DAY, SECOND } from "../../kernel/clock.ts";
import { isObject, parseObject } from "../../kernel/json.ts";
import { cut, withoutEnding } from "../../kernel/text.ts";
import { type Outbound, OutboundError, type OutboundRequest, type OutboundResponse, retryAfterMs } from "../../platform/outbound/index.ts";
import type { Resource } from "../../protocols/scim/index.ts";
import type { Preset } from "./preset.ts";
import { presets } from "./presets/index.ts";
import type { Settings } from "./schema.ts";

/**
 * The reason for a failure that says nothing about the object. busy: the target asks us to wait. denied: it refuses us, or is no SCIM service.
 * unreachable: there was no connection, so nothing was sent. fault: it had an error, or did not answer in time, so it may have accepted the request.
 */
type PeerFailure = "busy" | "denied" | "unreachable" | "fault";

export class PeerError extends Error {
  override readonly name = "PeerError";
  readonly failure: PeerFailure;
  /** The wait that the target asks for; null if it does not say. */
  readonly waitMs: number | null;
  /**
   * The message with the target's own words. They may name the person whom the request was about, so they are stored with that object only, and deleted
   * with it. `message`, which is stored with the target and in the audit trail, has none of them.
   */
  readonly aboutObject: string;

  constructor(failure: PeerFailure, message: string, waitMs: number | null = null, aboutObject = message) {
    super(message);
    this.failure = failure;
    this.waitMs = waitMs;
    this.aboutObject = aboutObject;
  }
}

/** The target refuses this user or group. Another attempt without a change would not help. */
export class ObjectRefused extends Error {
  override readonly name = "ObjectRefused";
}

/** An answer with a status below 500, except 401, 429 and redirects. */
export interface PeerAnswer {
  readonly status: number;
  readonly ok: boolean;
  /** Null if there is none, or if it is no JSON object. */
  readonly body: Resource | null;
  /** The last part of `Location`. */
  readonly locationId: string | null;
  /** The target's error, as a sentence. */
  readonly detail: string;
}

export interface Peer {
  readonly preset: Preset;
  request(method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE", path: string, body?: Resource): Promise<PeerAnswer>;
}

export interface PeerParts {
  readonly outbound: Outbound;
  readonly url: string;
  readonly settings: Settings;
  readonly secret: string;
  readonly signal?: AbortSignal;
  /** Called before each request. Throws if nothing more may be sent. */
  readonly beforeRequest?: () => Promise<void>;
  readonly onRequest?: (outcome: "ok" | "refused" | PeerFailure, seconds: number) => void;
}

const REQUEST_MS = 30 * SECOND;
const MAX_ANSWER = 4 * 1024 * 1024;
const MAX_TOKEN = 64 * 1024;
const DETAIL = 300;
const LONGEST_WAIT = DAY;

/** The SCIM service of a target. Requests have the target's credentials, and are spaced at the permitted rate. */
export function createPeer({ outbound, url, settings, secret, signal, beforeRequest, onRequest }: PeerParts): Peer {
  const preset = presets[settings.preset];
  const base = withoutEnding(url, "/");
  const gap = SECOND / (settings.requestsPerSecond ?? preset.requestsPerSecond);
  let nextAt = 0;
  const turn = async () => {
    const now = performance.now();
    const at = Math.max(now, nextAt);
    nextAt = at + gap;
    if (at > now) await sleep(at - now, undefined, signal && { signal });
  };
  const authorization = createAuthorization({ outbound, settings, secret, ...(signal && { signal }) });

  const send = async (method: OutboundRequest["method"] & string, path: string, body?: Resource): Promise<PeerAnswer> => {
    await turn();
    await beforeRequest?.();
    const response = await reached(async () =>
      outbound.fetch(`${base}${path}`, {
        method,
        headers: {
          accept: "application/scim+json, application/json",
          authorization: await authorization(),
          ...(body && { "content-type": "application/scim+json" }),
        },
        ...(body && { body: JSON.stringify(body) }),
        timeoutMs: REQUEST_MS,
        maxBytes: MAX_ANSWER,
        ...(signal && { signal }),
      }),
    );
    return answerOf(response);
  };

  const measured = async (method: OutboundRequest["method"] & string, path: string, body?: Resource): Promise<PeerAnswer> => {
    const began = performance.now();
    const seconds = () => (performance.now() - began) / SECOND;
    try {
      const answer = await send(method, path, body);
      onRequest?.(answer.ok || answer.status === 404 ? "ok" : "refused", seconds());
      return answer;
    } catch (error) {
      if (error instanceof PeerError) onRequest?.(error.failure, seconds());
      throw error;
    }
  };
  // Once the target has asked us to wait or refused us, later requests are not sent.
  let closed: PeerError | undefined;
  let mayRead: Promise<PeerAnswer> | undefined;
  const request: Peer["request"] = async (method, path, body) => {
    if (closed) throw closed;
    try {
      const answer = await measured(method, path, body);
      if (answer.status !== 403) return answer;
      // A 403 concerns this object or all our requests: a client that may not read users may do nothing there.
      mayRead ??= measured("GET", PROBE);
      if ((await mayRead).status === 403) throw denied("The target does not let us in", answer);
      return answer;
    } catch (error) {
      if (error instanceof PeerError && error.failure !== "fault") closed ??= error;
      throw error;
    }
  };
  return { preset, request };
}

/** The error of a target that refuses us, whatever the request was about. */
export const denied = (sentence: string, { status, detail }: Pick<PeerAnswer, "status" | "detail">): PeerError =>
  new PeerError("denied", `${sentence} (${status}).`, null, `${sentence}. ${detail}`);

/** A request that every SCIM service has to answer. */
export const PROBE = "/Users?startIndex=1&count=1";

/** Makes a request. Throws a PeerError if there is no answer. */
async function reached(fetch: () => Promise<OutboundResponse>): Promise<OutboundResponse> {
  try {
    return await fetch();
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    // Once connected, the target may have accepted the request even if it did not answer.
    const failure = error.reason === "timeout" || error.reason === "too_large" || isBroken(error) ? "fault" : "unreachable";
    throw new PeerError(failure, error.message);
  }
}

/** Tells whether an established connection was broken off. */
const isBroken = ({ reason, cause }: OutboundError): boolean =>
  reason === "connect" && ["UND_ERR_SOCKET", "ECONNRESET", "EPIPE"].includes(String((cause as { code?: unknown } | undefined)?.code));

function answerOf(response: OutboundResponse): PeerAnswer {
  const { status, headers } = response;
  const body = parseObject(response.text());
  const detail = detailOf(status, body);
  const wait = retryAfterMs(headers["retry-after"], LONGEST_WAIT);
  if (status === 429 || status === 503) throw new PeerError("busy", `The target asked us to wait (${status}).`, wait);
  if (status >= 500) throw new PeerError("fault", `The target answered ${status}.`, null, detail);
  if (status === 401) throw denied("The target does not accept our credentials", { status, detail });
  if (status >= 300 && status < 400) throw new PeerError("denied", `The target answered ${status}: redirects are not followed.`);
  const location = withoutEnding(headers.location?.split(/[?#]/, 1)[0] ?? "", "/")
    .split("/")
    .at(-1);
  return { status, ok: status >= 200 && status < 300, body, detail, locationId: location ? decoded(location) : null };
}

const decoded = (text: string): string | null => {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
};

/** Returns the target's error as a sentence. It is stored and shown, so it is short and has no control characters. */
function detailOf(status: number, body: Resource | null): string {
  const detail = body && member(body, "detail");
  const text = typeof detail === "string" ? cut(detail.replace(/[\p{C}\s]+/gu, " ").trim(), DETAIL) : "";
  return text === "" ? `The target answered ${status}.` : `The target answered ${status}: ${text}`;
}

/** Returns a member of a resource. RFC 7643 §2.1: names are compared without regard to case, and services write `resources` for `Resources`. */
export function member(resource: Resource, name: string): unknown {
  if (Object.hasOwn(resource, name)) return resource[name];
  const wanted = name.toLowerCase();
  const found = Object.keys(resource).find((key) => key.toLowerCase() === wanted);
  return found === undefined ? undefined : resource[found];
}

/** Returns the `id` of a resource, or null if it has no valid one. Some services write a number instead of a text. */
export function idOf(resource: Resource | null): string | null {
  const id = resource && member(resource, "id");
  const text = typeof id === "number" ? String(id) : id;
  return typeof text === "string" && text !== "" && text.length <= 512 && !/\p{C}/u.test(text) ? text : null;
}

export function listIn(body: Resource | null): Resource[] {
  const list = body && member(body, "Resources");
  return Array.isArray(list) ? list.filter(isObject) : [];
}

type AuthorizationParts = Pick<PeerParts, "outbound" | "settings" | "secret" | "signal">;

function createAuthorization({ outbound, settings: { auth }, secret, signal }: AuthorizationParts): () => Promise<string> {
  if (auth.type === "bearer") return async () => `Bearer ${secret}`;
  const basic = (name: string) => `Basic ${Buffer.from(`${name}:${secret}`).toString("base64")}`;
  if (auth.type === "basic") return async () => basic(auth.username ?? "");
  let token: Promise<{ readonly text: string; readonly until: number }> | undefined;
  const fetchToken = async () => {
    const form = new URLSearchParams({ grant_type: "client_credentials", ...(auth.scope !== undefined && { scope: auth.scope }) });
    const response = await reached(() =>
      outbound.fetch(auth.tokenUrl ?? "", {
        method: "POST",
        headers: {
          accept: "application/json",
          "content-type": "application/x-www-form-urlencoded",
          // RFC 6749 §2.3.1: both parts are encoded as in a form.
          authorization: `Basic ${Buffer.from(`${encodeURIComponent(auth.clientId ?? "")}:${encodeURIComponent(secret)}`).toString("base64")}`,
        },
        body: form.toString(),
        timeoutMs: REQUEST_MS,
        maxBytes: MAX_TOKEN,
        ...(signal && { signal }),
      }),
    );
    const body = parseObject(response.text());
    const text = body?.access_token;
    if (response.status >= 500 || response.status === 429)
      throw new PeerError(
        "busy",
        `The token endpoint answered ${response.status}.`,
        retryAfterMs(response.headers["retry-after"], LONGEST_WAIT),
      );
    if (response.status !== 200 || typeof text !== "string" || !/^[\x21-\x7e]+$/.test(text))
      throw new PeerError("denied", `The token endpoint gives no token: it answered ${response.status}.`);
    const lifetime = typeof body?.expires_in === "number" ? body.expires_in : 60;
    return { text, until: performance.now() + Math.max(0, lifetime - 30) * SECOND };
  };
  return async () => {
    const known = await token?.catch(() => undefined);
    if (!known || known.until <= performance.now()) token = fetchToken();
    return `Bearer ${(await token!).text}`;
  };
}
