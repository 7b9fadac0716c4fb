import { randomBytes } from "node:crypto";
import type { ErrorOut, KoaContextWithOIDC } from "oidc-provider";
import { asAppError } from "../../../../platform/http/index.ts";
import { messageKindOf, pageHeaders, pickLocale, renderMessage } from "../../../../signin/pages/index.ts";
import type { RealmParts } from "../../parts.ts";
import { requestOf } from "../context.ts";

/**
 * RFC 6749 §4.1.2.1: the engine renders every unknown error as `server_error`. A temporary one becomes a 503, so that clients retry.
 */
export function answerUnavailable(ctx: KoaContextWithOIDC, error: Error): void {
  const { status, message, headers } = asAppError(error);
  if (status !== 503) return;
  ctx.status = status;
  ctx.set({ ...headers });
  if ((ctx.body as { error?: unknown } | undefined)?.error === "server_error")
    ctx.body = { error: "temporarily_unavailable", error_description: message };
}

const pageRoutes = new Set(["authorization", "resume"]);

/** Shows an error that cannot be redirected to the client as a page to the user; endpoints that are no pages get JSON. */
export function renderError({ realm, cookies }: RealmParts, ctx: KoaContextWithOIDC, out: ErrorOut, error: Error): void {
  if (!pageRoutes.has(ctx.oidc.route)) {
    ctx.type = "json";
    ctx.body = out;
    return;
  }
  const request = requestOf(ctx);
  const locale = pickLocale({
    query: undefined,
    cookie: request && cookies.language(request),
    acceptLanguage: ctx.get("accept-language") || undefined,
    realmDefault: realm.settings.defaultLocale,
  });
  const isOurs = (error as { expose?: boolean }).expose !== true;
  const { status, headers } = asAppError(error);
  const retry = headers?.["retry-after"];
  ctx.type = "html";
  ctx.set(pageHeaders({ nonce: randomBytes(18).toString("base64"), logoUrl: realm.settings.logoUrl }));
  ctx.body = renderMessage({
    branding: realm.settings,
    locale,
    kind: isOurs ? messageKindOf(status) : "oidc-error",
    ...(isOurs && retry !== undefined && { retryAfterSeconds: Number(retry) }),
    ...(!isOurs && { details: { error: out.error, description: out.error_description } }),
    ...(request && { requestId: request.id }),
  });
}
