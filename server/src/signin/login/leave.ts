import { randomBytes } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import { type PageFrame, pageHeaders, renderLeaving } from "../../pages/index.ts";

/**
 * Browsers apply the `form-action` of a page to every redirect after its form, as far as the last site, and stop at one that it does not name. No page
 * can name them all: applications and providers redirect further. So where a redirect to another site answers a form, or may follow one, a
 * page takes its place and goes there: that is a new navigation, which `form-action` says nothing about (decision 39).
 *
 * Answers where the page has to go; null: the redirect can be sent as it is.
 */
export function leadsAway(request: FastifyRequest, location: string, { mayBeFramed = false } = {}): URL | null {
  const here = `${request.protocol}://${request.host}`;
  if (!URL.canParse(location, here)) return null;
  const to = new URL(location, here);
  // Apps with a scheme of their own open at a redirect, and may not at a page: `form-action` names their schemes instead (pages/headers.ts).
  if (to.origin === new URL(here).origin || !/^https?:$/.test(to.protocol)) return null;
  return request.method === "POST" || mayFollowForm(request, mayBeFramed) ? to : null;
}

/** A GET may be the redirect after a form of ours: the browser says that one of our pages began it (Fetch Metadata), in a window of its own. */
function mayFollowForm({ method, headers }: FastifyRequest, mayBeFramed: boolean): boolean {
  if (method !== "GET") return false;
  const { "sec-fetch-site": site, "sec-fetch-mode": mode, "sec-fetch-dest": dest } = headers;
  if (site !== undefined) return site === "same-origin" && mode === "navigate" && dest === "document";
  // By plain http browsers say no more than that they navigate. Programs do not even say that: they follow redirects.
  return !mayBeFramed && headers["upgrade-insecure-requests"] === "1";
}

/** The page, and its headers. */
export function leavingPage(frame: PageFrame, to: URL): { readonly html: string; readonly headers: Record<string, string> } {
  const nonce = randomBytes(18).toString("base64");
  const headers = {
    ...pageHeaders({ nonce, logoUrl: frame.branding?.logoUrl ?? null }),
    "content-type": "text/html; charset=utf-8",
    refresh: `0; url=${to.href}`,
  };
  return { html: renderLeaving({ ...frame, to }), headers };
}

/** Puts the page in the place of a redirect that is about to be sent. */
export function leaveByPage(request: FastifyRequest, reply: FastifyReply, frame: () => PageFrame): string | null {
  const location = reply.getHeader("location");
  const to = typeof location === "string" ? leadsAway(request, location) : null;
  if (!to) return null;
  const { html, headers } = leavingPage(frame(), to);
  reply.removeHeader("location");
  reply.code(200).headers(headers);
  return html;
}
