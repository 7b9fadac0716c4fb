import { LRUCache } from "lru-cache";
import { documentOf, type PublishedDocument } from "../../platform/http/index.ts";
import { LOCALES } from "../../signin/pages/index.ts";
import { claimNames } from "./accounts.ts";
import { metadataOf } from "./engine.ts";
import { promptValues } from "./interactions/policy.ts";
import type { RealmParts } from "./parts.ts";
import type { Issuer } from "./provider.ts";

/** Made once for each configuration of the realm. */
const once = (make: (issuer: Issuer) => object) => {
  const made = new WeakMap<Issuer, PublishedDocument>();
  return (issuer: Issuer): PublishedDocument => {
    const known = made.get(issuer);
    if (known) return known;
    const document = documentOf(make(issuer));
    made.set(issuer, document);
    return document;
  };
};

/** Configurations of which there is one each, as a rule. */
const MAX_KINDS = 200;
const described = new LRUCache<string, { readonly issuer: string; readonly document: Record<string, unknown> }>({ max: MAX_KINDS });

/** All that the engine's document hangs on, besides the realm's address. */
const kindOf = ({ realm, scopesOfRealm, tlsClientCertHeader }: RealmParts): string =>
  JSON.stringify([claimNames(scopesOfRealm), realm.settings.tokens, realm.settings.oidc, tlsClientCertHeader !== null]);

/** What the engine says. Most realms are configured alike, and no engine is made only to say the same under another address. */
function engineMetadata(issuer: Issuer): Record<string, unknown> {
  const { parts } = issuer;
  const kind = kindOf(parts);
  const known = described.get(kind) ?? { issuer: parts.issuer, document: metadataOf(issuer.provider) };
  described.set(kind, known);
  const isBelow = (value: unknown): value is string =>
    typeof value === "string" && (value === known.issuer || value.startsWith(`${known.issuer}/`));
  return Object.fromEntries(
    Object.entries(known.document).map(([name, value]) => [name, isBelow(value) ? parts.issuer + value.slice(known.issuer.length) : value]),
  );
}

/** What the engine cannot tell, because others do it. Features add their lines. */
const ours = ({ issuer, offered, realm }: RealmParts): Record<string, unknown> => ({
  ...offered,
  end_session_endpoint: `${issuer}/logout`,
  request_uri_parameter_supported: true,
  require_request_uri_registration: true,
  backchannel_logout_supported: true,
  backchannel_logout_session_supported: true,
  prompt_values_supported: promptValues(realm.settings),
  ui_locales_supported: LOCALES,
});

/** OpenID Connect Discovery §3 and RFC 8414, which share their members. */
export const discoveryDocument = once((issuer) => ({ ...engineMetadata(issuer), ...ours(issuer.parts) }));

/** RFC 9728: the realm as the resource whose tokens its own endpoints take. */
export const protectedResource = once((of) => {
  const { issuer, scopesOfRealm, realm } = of.parts;
  const { dpop_signing_alg_values_supported } = engineMetadata(of);
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
