import type { KoaContextWithOIDC } from "oidc-provider";
import { pickLocale } from "../../../../pages/index.ts";
import type { RealmParts } from "../../parts.ts";
import { requestOf } from "../context.ts";

/** The language of a page that the engine sends. */
export function localeOf({ realm, cookies }: Pick<RealmParts, "realm" | "cookies">, ctx: KoaContextWithOIDC) {
  const request = requestOf(ctx);
  return pickLocale({
    query: undefined,
    cookie: request && cookies.language(request),
    acceptLanguage: ctx.get("accept-language") || undefined,
    realmDefault: realm.settings.defaultLocale,
  });
}
