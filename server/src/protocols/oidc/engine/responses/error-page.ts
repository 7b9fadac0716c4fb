import { randomBytes } from "node:crypto";
import type { ErrorOut, KoaContextWithOIDC } from "oidc-provider";
import { cut } from "../../../../kernel/text.ts";
import { homeOf, languageLinks, type MessageView, messageKindOf, pageHeaders, pickLocale, renderMessage } from "../../../../pages/index.ts";
import { asAppError, logShownError } from "../../../../platform/http/index.ts";
import type { RealmParts } from "../../parts.ts";
import { requestOf } from "../context.ts";
import { snapshotOf } from "../models/client.ts";

/** Returns the language of a page that the engine sends. */
export function localeOf({ realm, cookies }: Pick<RealmParts, "realm" | "cookies">, ctx: KoaContextWithOIDC) {
  const request = requestOf(ctx);
  return pickLocale({
    query: typeof ctx.query.lang === "string" ? ctx.query.lang : undefined,
    cookie: request && cookies.language(request),
    acceptLanguage: ctx.get("accept-language") || undefined,
    realmDefault: realm.settings.defaultLocale,
  });
}

/**
 * RFC 6749 §4.1.2.1: answers a temporary error with a 503, so that clients retry. The engine renders every unknown error as `server_error`.
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

/** Shows an error that cannot be redirected to the client on a page to the user. Endpoints without pages get JSON. */
export function renderError(parts: RealmParts, ctx: KoaContextWithOIDC, out: ErrorOut, error: Error): void {
  if (!pageRoutes.has(ctx.oidc.route)) {
    ctx.type = "json";
    ctx.body = out;
    return;
  }
  const { realm } = parts;
  const request = requestOf(ctx);
  const isOurs = (error as { expose?: boolean }).expose !== true;
  const { status, headers } = asAppError(error);
  const retry = headers?.["retry-after"];
  const description = descriptionOf(ctx, out);
  if (request && !isOurs) logShownError(request, { error: out.error, reason: description ?? "", ...clientIn(ctx) });
  ctx.type = "html";
  ctx.set(pageHeaders({ nonce: randomBytes(18).toString("base64"), logoUrl: realm.settings.logoUrl }));
  ctx.body = renderMessage({
    branding: realm.settings,
    locale: localeOf(parts, ctx),
    ...languagesAt(ctx),
    kind: isOurs ? messageKindOf(status) : "oidc-error",
    ...(isOurs && retry !== undefined && { retryAfterSeconds: Number(retry) }),
    ...(!isOurs && { details: { error: out.error, description } }),
    ...backTo(ctx),
    ...(request && { requestId: request.id }),
  });
}

/** Links a refused request to itself in other languages, unless it names a pushed one, which is used only once (RFC 9126 §4). */
function languagesAt(ctx: KoaContextWithOIDC): Pick<MessageView, "languages"> {
  const request = requestOf(ctx);
  if (request?.method !== "GET" || ctx.oidc.route !== "authorization" || ctx.query.request_uri !== undefined) return {};
  const [path, query] = request.originalUrl.split("?", 2);
  const kept = new URLSearchParams(query);
  return {
    languages: languageLinks((lang) => {
      kept.set("lang", lang);
      return `${path}?${kept}`;
    }),
  };
}

/** Returns a link to the client, once the engine has found it: to an address that is registered for it, whichever the request has. */
function backTo({ oidc: { client } }: KoaContextWithOIDC): Pick<MessageView, "back"> {
  const known = client && snapshotOf(client);
  const href = known && homeOf(known.settings.clientUri, known.redirectUris);
  return href === undefined ? {} : { back: { href, label: "backToApplication" } };
}

/** Returns the client id of the request, which may be unknown or any text. */
function clientIn(ctx: KoaContextWithOIDC): { readonly clientId?: string } {
  const { client_id: sent } = ctx.query;
  return typeof sent === "string" && sent !== "" ? { clientId: cut(sent, 255) } : {};
}

/** Describes the error. "client is invalid" alone does not help to find the mistake, so the client id of the request is added. */
function descriptionOf(ctx: KoaContextWithOIDC, { error, error_description: description }: ErrorOut): string | undefined {
  const { clientId } = clientIn(ctx);
  return error === "invalid_client" && clientId !== undefined ? `${description ?? "client is invalid"}: ${clientId}` : description;
}
