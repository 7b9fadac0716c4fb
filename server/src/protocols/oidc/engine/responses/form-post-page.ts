import type { Provider } from "oidc-provider";

/** The engine adds the hash of its script to `script-src`. No `form-action`: it would also block redirects of the client. */
const POLICY = "default-src 'none';script-src;base-uri 'none'";

/** OAuth 2.0 Form Post Response Mode: only the engine's own script runs on the page that posts the response. */
export function guardFormPostPages(provider: Provider): void {
  provider.use(async (ctx, next) => {
    if (!ctx.path.startsWith("/authorize")) return next();
    ctx.set("content-security-policy", POLICY);
    await next();
    if (ctx.status >= 300 && ctx.status < 400) ctx.remove("content-security-policy");
    // The engine sends error responses by the same page with the error's status; a form to submit is a 200.
    else if (ctx.status !== 200 && ctx.response.get("content-security-policy").includes("'sha256-")) ctx.status = 200;
  });
}
