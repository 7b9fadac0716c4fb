import { randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { FastifyRequest } from "fastify";
import type { ErrorOut, KoaContextWithOIDC } from "oidc-provider";
import { pageHeaders, pickLocale, renderMessage } from "../../signin/pages/index.ts";
import type { RealmParts } from "./parts.ts";

/** The request of ours behind one that the engine answers. */
const requests = new WeakMap<IncomingMessage, FastifyRequest>();
export const rememberRequest = (request: FastifyRequest): void => void requests.set(request.raw, request);
export const requestOf = (ctx: { req: IncomingMessage }): FastifyRequest | undefined => requests.get(ctx.req);

const pageRoutes = new Set(["authorization", "resume"]);

/** An error that cannot be told to the client is told to the person, by a page of ours; programs always get JSON. */
export function renderError({ realm }: RealmParts, ctx: KoaContextWithOIDC, out: ErrorOut, error: Error): void {
  if (!pageRoutes.has(ctx.oidc.route)) {
    ctx.type = "json";
    ctx.body = out;
    return;
  }
  const request = requestOf(ctx);
  const locale = pickLocale({
    query: undefined,
    cookie: request?.cookies.gh__lang,
    acceptLanguage: ctx.get("accept-language") || undefined,
    realmDefault: realm.settings.defaultLocale,
  });
  const isOurs = (error as { expose?: boolean }).expose !== true;
  ctx.type = "html";
  ctx.set(pageHeaders({ nonce: randomBytes(18).toString("base64"), logoUrl: realm.settings.logoUrl }));
  ctx.body = renderMessage({
    branding: realm.settings,
    locale,
    kind: isOurs ? "internal" : "oidc-error",
    ...(!isOurs && { details: { error: out.error, description: out.error_description } }),
    ...(request && { requestId: request.id }),
  });
}
