import { randomBytes } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import { logoOf } from "./branding.ts";

export interface PageHeaderOptions {
  readonly nonce: string;
  /**
   * Targets of the answer to the form. `form-action` names those of apps that have a scheme of their own; for other sites a page takes the
   * place of the redirect (login/leave.ts).
   */
  readonly callbacks?: readonly string[];
  /** The form itself is sent to another site, which may redirect further: browsers would apply the policy to that, too. */
  readonly postsElsewhere?: boolean;
  /** Addresses that the page shows in frames, of which only the origin is used. */
  readonly frames?: readonly string[];
  /** To be looked at in a frame of ours: its form leads nowhere. */
  readonly isPreview?: boolean;
  readonly logoUrl?: string | null;
  /** Logos of the application that the page is about, and of identity providers on it. */
  readonly logos?: readonly (string | null | undefined)[];
}

export interface SendPageOptions extends Omit<PageHeaderOptions, "nonce"> {
  /** Left out: that of the request. */
  readonly nonce?: string;
  /** Becomes `Retry-After`, rounded up. */
  readonly retryAfterSeconds?: number;
  /** The page looks again by itself, at a path of ours. */
  readonly refresh?: { readonly seconds: number; readonly to: string };
}

// Base64 of either alphabet: what CSP Level 3 calls a nonce.
const NONCE = /^[A-Za-z0-9+/_-]{16,}={0,2}$/;
// The URL parser lets `;` and `,` stand in a host name; in a policy they would start a directive or another policy.
const NAMED_ORIGIN = /^https?:\/\/[a-z0-9._-]+(?::\d{1,5})?$/;
const APP_SCHEME = /^[a-z][a-z0-9+.-]*:$/;
const OTHER_SCHEMES = new Set([
  "http:",
  "https:",
  "javascript:",
  "data:",
  "blob:",
  "about:",
  "file:",
  "filesystem:",
  "view-source:",
  "vbscript:",
  "ws:",
  "wss:",
  "ftp:",
]);

/** The security headers of every page. */
export function pageHeaders({
  nonce,
  callbacks = [],
  postsElsewhere = false,
  frames = [],
  isPreview = false,
  logoUrl,
  logos = [],
}: PageHeaderOptions): Record<string, string> {
  if (!NONCE.test(nonce)) throw new TypeError("A CSP nonce is at least 16 characters of base64");
  const pictures = new Set([logoUrl, ...logos].flatMap((url) => logoOf(url)?.origin ?? []));
  const schemes = new Set(callbacks.map(appScheme).filter((scheme) => scheme !== null));
  const framed = new Set(frames.map((url) => new URL(url).origin).filter((origin) => NAMED_ORIGIN.test(origin)));
  const policy = {
    "default-src": ["'none'"],
    "script-src": [`'nonce-${nonce}'`],
    "style-src": ["'self'"],
    "img-src": ["'self'", "data:", ...pictures],
    ...(!postsElsewhere && { "form-action": isPreview ? ["'none'"] : ["'self'", ...schemes] }),
    ...(framed.size > 0 && { "frame-src": [...framed] }),
    "frame-ancestors": [isPreview ? "'self'" : "'none'"],
    "base-uri": ["'none'"],
  };
  return {
    "content-security-policy": Object.entries(policy)
      .map(([directive, sources]) => `${directive} ${sources.join(" ")}`)
      .join("; "),
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": isPreview ? "SAMEORIGIN" : "DENY",
    "cross-origin-opener-policy": "same-origin",
    "permissions-policy":
      "camera=(), microphone=(), geolocation=(), payment=(), usb=(), publickey-credentials-get=(self), publickey-credentials-create=(self)",
  };
}

/** Apps are called back by a private-use scheme (RFC 8252 §7.1). Null for every other address. */
function appScheme(callback: string): string | null {
  if (!URL.canParse(callback)) return null;
  const { protocol } = new URL(callback);
  return APP_SCHEME.test(protocol) && !OTHER_SCHEMES.has(protocol) ? protocol : null;
}

const nonces = new WeakMap<FastifyRequest, string>();

/** The nonce by which the scripts of the answer to this request run. */
export function nonceOf(request: FastifyRequest): string {
  const known = nonces.get(request);
  if (known !== undefined) return known;
  const made = randomBytes(18).toString("base64");
  nonces.set(request, made);
  return made;
}

/** Sends a rendered page with its headers. The logo is that of the request's realm. */
export function sendPage(reply: FastifyReply, status: number, html: string, options: SendPageOptions = {}): FastifyReply {
  const { nonce = nonceOf(reply.request), retryAfterSeconds, refresh, ...rest } = options;
  if (retryAfterSeconds !== undefined) reply.header("retry-after", String(Math.max(1, Math.ceil(retryAfterSeconds))));
  // A header, not an element of the page: tools that read the page for people need not step over it.
  if (refresh) reply.header("refresh", `${refresh.seconds}; url=${refresh.to}`);
  const { realm } = reply.request as { realm?: { readonly settings: { readonly logoUrl: string | null } } };
  return reply
    .code(status)
    .headers(pageHeaders({ nonce, logoUrl: realm?.settings.logoUrl ?? null, ...rest }))
    .type("text/html; charset=utf-8")
    .send(html);
}
