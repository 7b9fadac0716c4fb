import { randomBytes } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import { type PageFrame, pageHeaders, renderLeaving } from "../../pages/index.ts";

/**
 * Returns the address to which a page has to lead, or null if the redirect can be sent as it is.
 *
 * Browsers apply the `form-action` of a page to every redirect after its form, as far as the last site, and stop at a site that it does not
 * name. No page can name them all, because applications and providers redirect further. So where a redirect to another site answers a form,
 * or may follow one, a page takes its place and goes there. That is a new navigation, to which `form-action` does not apply (decision 39).
 */
export function leadsAway(request: FastifyRequest, location: string, { mayBeFramed = false } = {}): URL | null {
  const here = `${request.protocol}://${request.host}`;
  if (!URL.canParse(location, here)) return null;
  const to = new URL(location, here);
  // Apps with a custom scheme open at a redirect, but not from a page. `form-action` names their schemes instead (pages/headers.ts).
  if (to.origin === new URL(here).origin || !/^https?:$/.test(to.protocol)) return null;
  return request.method === "POST" || mayFollowForm(request, mayBeFramed) ? to : null;
}

/**
 * Tells whether a GET may be the redirect after a form of ours: the browser says by Fetch Metadata that one of our pages began it, in a
 * window of its own.
 */
function mayFollowForm({ method, headers }: FastifyRequest, mayBeFramed: boolean): boolean {
  if (method !== "GET") return false;
  const { "sec-fetch-site": site, "sec-fetch-mode": mode, "sec-fetch-dest": dest } = headers;
  if (site !== undefined) return site === "same-origin" && mode === "navigate" && dest === "document";
  // By plain HTTP, browsers say only that they navigate. Programs do not even say that, and they follow redirects.
  return !mayBeFramed && headers["upgrade-insecure-requests"] === "1";
}

/** Returns the page that leads to the address, and its headers. */
export function leavingPage(frame: PageFrame, to: URL): { readonly html: string; readonly headers: Record<string, string> } {
  const nonce = randomBytes(18).toString("base64");
  const headers = {
    ...pageHeaders({ nonce, logoUrl: frame.branding?.logoUrl ?? null }),
    "content-type": "text/html; charset=utf-8",
    refresh: `0; url=${to.href}`,
  };
  return { html: renderLeaving({ ...frame, to }), headers };
}

/** Replaces a redirect that is about to be sent by the page, if one is needed. */
export function leaveByPage(request: FastifyRequest, reply: FastifyReply, frame: () => PageFrame): string | null {
  const location = reply.getHeader("location");
  const to = typeof location === "string" ? leadsAway(request, location) : null;
  if (!to) return null;
  const { html, headers } = leavingPage(frame(), to);
  reply.removeHeader("location");
  reply.code(200).headers(headers);
  return html;
}
