import type { Provider } from "oidc-provider";

/** The engine adds the hash of its own script to `script-src`. Where the form goes is not named: the client may send the browser anywhere. */
const POLICY = "default-src 'none';script-src;base-uri 'none'";

/** OAuth 2.0 Form Post Response Mode: on the page that posts an answer to the client, nothing runs but the engine's own script. */
export function guardFormPostPages(provider: Provider): void {
  provider.use(async (ctx, next) => {
    if (!ctx.path.startsWith("/authorize")) return next();
    ctx.set("content-security-policy", POLICY);
    await next();
    if (ctx.status >= 300 && ctx.status < 400) ctx.remove("content-security-policy");
    // An error goes to the client by such a page, too, and the browser has to submit it like any other: the engine gives it the error's status.
    else if (ctx.status !== 200 && ctx.response.get("content-security-policy").includes("'sha256-")) ctx.status = 200;
  });
}
