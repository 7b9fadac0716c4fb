import { setTimeout as sleep } from "node:timers/promises";
import { DAY, SECOND } from "../../kernel/clock.ts";
import { cut } from "../../kernel/text.ts";
import { type Outbound, OutboundError, type OutboundRequest, type OutboundResponse, retryAfterMs } from "../../platform/outbound/index.ts";
import { isObject, type Resource } from "../../protocols/scim/index.ts";
import type { Preset } from "./preset.ts";
import { presets } from "./presets/index.ts";
import type { Settings } from "./schema.ts";

/**
 * Why a request came to nothing that says something about the object. busy: the target asked for patience. denied: it refuses us, or is no SCIM
 * service. unreachable: no connection, so nothing was sent. fault: an error of its own, or no answer in time: whether it took the request is unknown.
 */
type PeerFailure = "busy" | "denied" | "unreachable" | "fault";

export class PeerError extends Error {
  override readonly name = "PeerError";
  readonly failure: PeerFailure;
  /** The wait that the target asks for; null: it does not say. */
  readonly waitMs: number | null;
  /**
   * The same with the target's own words. They may name the person whom the request was about, so they are kept with that object only, and forgotten
   * with it; `message`, which is kept with the target and in the trail, has none of them.
   */
  readonly aboutObject: string;

  constructor(failure: PeerFailure, message: string, waitMs: number | null = null, aboutObject = message) {
    super(message);
    this.failure = failure;
    this.waitMs = waitMs;
    this.aboutObject = aboutObject;
  }
}

/** The target refuses this user or group: trying again without a change cannot help. */
export class ObjectRefused extends Error {
  override readonly name = "ObjectRefused";
}

/** An answer below 500 that is no 401, 429 or redirect. */
export interface PeerAnswer {
  readonly status: number;
  readonly ok: boolean;
  /** Null: it has none, or it is no JSON object. */
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
  /** Before each request: throws where nothing more may be sent. */
  readonly beforeRequest?: () => Promise<void>;
  readonly onRequest?: (outcome: "ok" | "refused" | PeerFailure, seconds: number) => void;
}

const REQUEST_MS = 30 * SECOND;
const MAX_ANSWER = 4 * 1024 * 1024;
const MAX_TOKEN = 64 * 1024;
const DETAIL = 300;
const LONGEST_WAIT = DAY;

/** The SCIM service of a target: one request at a time leaves when its turn has come, with the target's credentials. */
export function createPeer({ outbound, url, settings, secret, signal, beforeRequest, onRequest }: PeerParts): Peer {
  const preset = presets[settings.preset];
  const base = url.replace(/\/+$/, "");
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
  // Once the target has asked for patience or refused us, nothing more is sent that is under way.
  let closed: PeerError | undefined;
  let mayRead: Promise<PeerAnswer> | undefined;
  const request: Peer["request"] = async (method, path, body) => {
    if (closed) throw closed;
    try {
      const answer = await measured(method, path, body);
      if (answer.status !== 403) return answer;
      // The 403 concerns this object, or all our requests: a client that may not read users may do nothing there.
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

/** The target refuses us, whatever the request was about. */
export const denied = (sentence: string, { status, detail }: Pick<PeerAnswer, "status" | "detail">): PeerError =>
  new PeerError("denied", `${sentence} (${status}).`, null, `${sentence}. ${detail}`);

/** The least that a SCIM service has to answer. */
export const PROBE = "/Users?startIndex=1&count=1";

/** A request of which no answer came, as one of ours. */
async function reached(fetch: () => Promise<OutboundResponse>): Promise<OutboundResponse> {
  try {
    return await fetch();
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    // Once the connection stands, the target may have taken the request before it fell silent.
    const failure = error.reason === "timeout" || error.reason === "too_large" || isBroken(error) ? "fault" : "unreachable";
    throw new PeerError(failure, error.message);
  }
}

/** The connection stood and was broken off. */
const isBroken = ({ reason, cause }: OutboundError): boolean =>
  reason === "connect" && ["UND_ERR_SOCKET", "ECONNRESET", "EPIPE"].includes(String((cause as { code?: unknown } | undefined)?.code));

function answerOf(response: OutboundResponse): PeerAnswer {
  const { status, headers } = response;
  const body = objectIn(response);
  const detail = detailOf(status, body);
  const wait = retryAfterMs(headers["retry-after"], LONGEST_WAIT);
  if (status === 429 || status === 503) throw new PeerError("busy", `The target asked us to wait (${status}).`, wait);
  if (status >= 500) throw new PeerError("fault", `The target answered ${status}.`, null, detail);
  if (status === 401) throw denied("The target does not accept our credentials", { status, detail });
  if (status >= 300 && status < 400) throw new PeerError("denied", `The target answered ${status}: redirects are not followed.`);
  const location = headers.location?.split(/[?#]/, 1)[0]?.replace(/\/+$/, "").split("/").at(-1);
  return { status, ok: status >= 200 && status < 300, body, detail, locationId: location ? decoded(location) : null };
}

const decoded = (text: string): string | null => {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
};

function objectIn(response: OutboundResponse): Resource | null {
  try {
    const value = response.json();
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

/** Stored and shown: no control characters, and not the whole of what a peer may say. */
function detailOf(status: number, body: Resource | null): string {
  const detail = body && member(body, "detail");
  const text = typeof detail === "string" ? cut(detail.replace(/[\p{C}\s]+/gu, " ").trim(), DETAIL) : "";
  return text === "" ? `The target answered ${status}.` : `The target answered ${status}: ${text}`;
}

/** RFC 7643 §2.1: names are compared without regard to case, and services write `resources` for `Resources`. */
export function member(resource: Resource, name: string): unknown {
  if (Object.hasOwn(resource, name)) return resource[name];
  const wanted = name.toLowerCase();
  const found = Object.keys(resource).find((key) => key.toLowerCase() === wanted);
  return found === undefined ? undefined : resource[found];
}

/** The `id` of a resource: a text, or a number at services that do not know better. */
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
    const body = objectIn(response);
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
