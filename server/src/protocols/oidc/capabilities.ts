import type { ResponseType } from "../../applications/clients/index.ts";
import type { RealmSnapshot } from "../../tenancy/realms/index.ts";

// Tokens that an authorization is answered with travel through the browser: its history, its extensions and whatever the redirect URI loads
// can read them (RFC 9700 §2.1.2). A realm has to allow them, and they are marked, so that the admin API can refuse them.

/** OpenID Connect Core §15.2 demands those beside `code` of an issuer at which clients can register; RFC 9700 advises against them. */
export const responseTypesOf = ({ settings }: Pick<RealmSnapshot, "settings">): readonly ResponseType[] =>
  settings.oidc.implicitFlow ? ["code", "id_token", "id_token token"] : ["code"];
