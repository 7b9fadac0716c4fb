import { createHash } from "node:crypto";
import { LOCALES } from "../../signin/pages/index.ts";
import { metadataOf } from "./engine.ts";
import type { RealmParts } from "./parts.ts";
import type { Issuer } from "./provider.ts";

/** A document as it goes over the wire. */
export interface Kept {
  readonly body: string;
  readonly etag: string;
}

const kept = (document: object): Kept => {
  const body = JSON.stringify(document);
  return { body, etag: `"${createHash("sha256").update(body).digest("base64url").slice(0, 22)}"` };
};

/** Made once for each configuration of the realm. */
const once = (make: (issuer: Issuer) => object) => {
  const made = new WeakMap<Issuer, Kept>();
  return (issuer: Issuer): Kept => {
    const known = made.get(issuer) ?? kept(make(issuer));
    made.set(issuer, known);
    return known;
  };
};

/** What the engine cannot tell, because others do it. Features add their lines. */
const ours = ({ issuer, offered }: RealmParts): Record<string, unknown> => ({
  ...offered,
  end_session_endpoint: `${issuer}/logout`,
  backchannel_logout_supported: true,
  backchannel_logout_session_supported: true,
  prompt_values_supported: ["none", "login", "consent", "select_account"],
  ui_locales_supported: LOCALES,
});

/** OpenID Connect Discovery §3 and RFC 8414, which share their members. */
export const discoveryDocument = once(({ provider, parts }) => ({ ...metadataOf(provider), ...ours(parts) }));

/** RFC 9728: the realm as the resource whose tokens its own endpoints take. */
export const protectedResource = once(({ provider, parts: { issuer, scopesOfRealm, realm } }) => {
  const { dpop_signing_alg_values_supported } = metadataOf(provider);
  return {
    resource: issuer,
    authorization_servers: [issuer],
    jwks_uri: `${issuer}/jwks`,
    scopes_supported: scopesOfRealm.scopes.map(({ name }) => name),
    bearer_methods_supported: ["header", "body"],
    dpop_signing_alg_values_supported,
    resource_name: realm.settings.displayName ?? realm.realmId,
  };
});
