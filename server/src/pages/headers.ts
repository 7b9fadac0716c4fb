import { randomBytes } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import { logoOf } from "./branding.ts";

export interface PageHeaderOptions {
  readonly nonce: string;
  /**
   * The addresses to which the answer to the form may redirect. `form-action` lists private-use schemes of apps; for other sites a page replaces the redirect
   * (login/leave.ts).
   */
  readonly callbacks?: readonly string[];
  /** True if the form is sent to another site, which may redirect further: browsers would apply `form-action` to these redirects, too. */
  readonly postsElsewhere?: boolean;
  /** The addresses of frames in the page. Only their origins are used. */
  readonly frames?: readonly string[];
  /** True for a page that is only shown in a frame of ours: its form cannot be submitted. */
  readonly isPreview?: boolean;
  readonly logoUrl?: string | null;
  /** The logos of the application that the page is about, and of identity providers on it. */
  readonly logos?: readonly (string | null | undefined)[];
}

export interface SendPageOptions extends Omit<PageHeaderOptions, "nonce"> {
  /** The default is the nonce of the request. */
  readonly nonce?: string;
  /** The value of `Retry-After`, before it is rounded up. */
  readonly retryAfterSeconds?: number;
  /** Makes the page refresh itself, at one of our paths. */
  readonly refresh?: { readonly seconds: number; readonly to: string };
}

// A nonce of CSP Level 3: base64 in either alphabet.
const NONCE = /^[A-Za-z0-9+/_-]{16,}={0,2}$/;
// The URL parser accepts `;` and `,` in a host name. In a policy they would start a directive or another policy.
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

/** Returns the security headers of a page. */
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

/** Returns the private-use scheme by which an app is called back (RFC 8252 §7.1), or null for any other address. */
function appScheme(callback: string): string | null {
  if (!URL.canParse(callback)) return null;
  const { protocol } = new URL(callback);
  return APP_SCHEME.test(protocol) && !OTHER_SCHEMES.has(protocol) ? protocol : null;
}

const nonces = new WeakMap<FastifyRequest, string>();

/** Returns the nonce for the scripts in the response to this request. */
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
  // The refresh is a header and not an element, so that tools which extract the content of the page need not skip it.
  if (refresh) reply.header("refresh", `${refresh.seconds}; url=${refresh.to}`);
  const { realm } = reply.request as { realm?: { readonly settings: { readonly logoUrl: string | null } } };
  return reply
    .code(status)
    .headers(pageHeaders({ nonce, logoUrl: realm?.settings.logoUrl ?? null, ...rest }))
    .type("text/html; charset=utf-8")
    .send(html);
}
