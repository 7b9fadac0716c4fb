import type { KoaContextWithOIDC, Provider } from "oidc-provider";
import { leadsAway, leavingPage } from "../../../../signin/login/index.ts";
import type { RealmParts } from "../../parts.ts";
import { requestOf } from "../context.ts";
import { localeOf } from "./error-page.ts";

/** Replaces a redirect to the client after a form of ours by a page, as the gate does for responses that the engine does not write. */
export function leaveByPages(provider: Provider, parts: RealmParts): void {
  provider.use(async (koa, next) => {
    await next();
    const ctx = koa as unknown as KoaContextWithOIDC;
    const request = requestOf(ctx);
    const location = ctx.response.get("location");
    if (!request || location === "" || ctx.status < 300 || ctx.status >= 400) return;
    // Clients use `prompt=none` in a frame, where browsers show no page of ours.
    const to = leadsAway(request, location, { mayBeFramed: ctx.oidc.route === "authorization" });
    if (!to) return;
    const { html, headers } = leavingPage({ branding: parts.realm.settings, locale: localeOf(parts, ctx) }, to);
    ctx.remove("location");
    ctx.status = 200;
    ctx.body = html;
    ctx.set(headers);
  });
}

/** The engine adds the hash of its script to `script-src`. `form-action` is absent, because it would also block redirects of the client. */
const POLICY = "default-src 'none';script-src;base-uri 'none'";

/** OAuth 2.0 Form Post Response Mode: lets only the engine's own script run on the page that posts the response. */
export function guardFormPostPages(provider: Provider): void {
  provider.use(async (ctx, next) => {
    if (!ctx.path.startsWith("/authorize")) return next();
    ctx.set("content-security-policy", POLICY);
    await next();
    if (ctx.status >= 300 && ctx.status < 400) ctx.remove("content-security-policy");
    // The engine sends error responses by the same page with the error's status, but a page with a form to submit is a 200.
    else if (ctx.status !== 200 && ctx.response.get("content-security-policy").includes("'sha256-")) ctx.status = 200;
  });
}
