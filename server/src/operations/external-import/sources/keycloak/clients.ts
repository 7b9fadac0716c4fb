import { X509Certificate } from "node:crypto";
import { addressVerdict, originVerdict, redirectUriVerdict } from "../../../../applications/clients/index.ts";
import { clientAlgs, signingAlgs } from "../../../../tenancy/keys/index.ts";
import {
  defined,
  flagOf,
  isFalse,
  isTrue,
  listOf,
  numberOf,
  parsedOf,
  recordOf,
  recordsOf,
  textOf,
  textsOf,
  unique,
  type Values,
  within,
} from "../../reading.ts";
import { type KeycloakRealm, ownText } from "./export.ts";
import { mapperOf } from "./mappers.ts";
import { roleOf } from "./roles.ts";

export const clientMembers = {
  mapped: [
    ...[
      "clientId",
      "name",
      "description",
      "rootUrl",
      "baseUrl",
      "enabled",
      "clientAuthenticatorType",
      "secret",
      "redirectUris",
      "webOrigins",
    ],
    ...[
      "bearerOnly",
      "consentRequired",
      "standardFlowEnabled",
      "implicitFlowEnabled",
      "directAccessGrantsEnabled",
      "serviceAccountsEnabled",
    ],
    ...["publicClient", "frontchannelLogout", "protocol", "attributes", "protocolMappers", "defaultClientScopes", "optionalClientScopes"],
    ...["authenticationFlowBindingOverrides", "defaultRoles"],
  ],
  ignored: [
    "id",
    "nodeReRegistrationTimeout",
    "notBefore",
    "surrogateAuthRequired",
    "alwaysDisplayInConsole",
    "access",
    "origin",
    "authorizationServicesEnabled",
    "adminUrl",
    "registeredNodes",
    "useTemplateConfig",
    "useTemplateMappers",
    "useTemplateScope",
  ],
  apart: ["fullScopeAllowed", "authorizationSettings"],
};

const attributeMembers = {
  mapped: [
    ...[
      "post.logout.redirect.uris",
      "access.token.lifespan",
      "backchannel.logout.url",
      "backchannel.logout.session.required",
      "jwks.url",
      "use.jwks.url",
    ],
    ...[
      "jwks.string",
      "use.jwks.string",
      "jwt.credential.certificate",
      "token.endpoint.auth.signing.alg",
      "x509.subjectdn",
      "pkce.code.challenge.method",
    ],
    ...["require.pushed.authorization.requests", "dpop.bound.access.tokens", "oauth2.device.authorization.grant.enabled"],
    ...["oidc.ciba.grant.enabled", "standard.token.exchange.enabled", "access.token.signed.response.alg", "id.token.signed.response.alg"],
    ...["user.info.response.signature.alg", "request.object.signature.alg", "logoUri", "policyUri", "tosUri", "use.refresh.tokens"],
    ...["frontchannel.logout.url", "frontchannel.logout.session.required", "default.acr.values", "default.max.age"],
    "tls.client.certificate.bound.access.tokens",
  ],
  ignored: [
    ...[
      "realm_client",
      "client.secret.creation.time",
      "client.use.lightweight.access.token.enabled",
      "display.on.consent.screen",
      "acr.loa.map",
    ],
    ...[
      "backchannel.logout.revoke.offline.tokens",
      "exclude.session.state.from.auth.response",
      "client_credentials.use_refresh_token",
      "tls-client-certificate-bound-access-tokens",
    ],
    ...["login_theme", "oauth2.token.exchange.grant.enabled", "oidc.ciba.grant.enabled"],
  ],
  ignoredPrefixes: ["saml", "client.session.", "client.offline.session."],
};

/** The rule here for secrets that were chosen elsewhere. */
const isStrongEnough = (secret: string) => /^[!-~]{16,255}$/.test(secret) && new Set(secret).size >= 8;

/** Returns a filter for the addresses of one client. It keeps those that the rules here accept, and reports the others. */
const keeping =
  (realm: KeycloakRealm, pattern: string, at: string) =>
  (values: readonly string[], verdict: (value: string) => { readonly message: string } | null): string[] =>
    unique(values).filter((value) => {
      const refused = verdict(value);
      if (refused) realm.report.unmapped(pattern, `An address ${refused.message}`, at);
      return refused === null;
    });

/** Returns the origin of a redirect URI. Keycloak allows these origins where a client names none. */
const originOf = (uri: string): string[] => (/^https?:/.test(uri) && URL.canParse(uri) ? [new URL(uri).origin] : []);

function redirectsOf(realm: KeycloakRealm, client: Values, at: string, applicationType: "web" | "native") {
  const attributes = recordOf(client.attributes);
  const root = textOf(client.rootUrl) ?? "";
  const absolute = (uri: string) => (uri.startsWith("/") && root !== "" ? root.replace(/\/$/, "") + uri : uri);
  const verdict = (uri: string) => redirectUriVerdict(uri, applicationType);
  const redirectUris = keeping(realm, "clients[].redirectUris", at)(textsOf(client.redirectUris).map(absolute), verdict);
  const written = Array.isArray(client.webOrigins) ? textsOf(client.webOrigins) : textsOf(client.redirectUris).flatMap(originOf);
  const origins = keeping(realm, "clients[].webOrigins", at)(written, originVerdict);
  const after = (textOf(attributes["post.logout.redirect.uris"]) ?? "").split("##").filter((uri) => uri !== "" && uri !== "-");
  const postLogout = after.flatMap((uri) => (uri === "+" ? redirectUris : [absolute(uri)]));
  return {
    redirectUris,
    webOrigins: origins,
    postLogoutRedirectUris: keeping(realm, "clients[].attributes.post.logout.redirect.uris", at)(postLogout, verdict),
  };
}

/** Tells whether a redirect URI has the scheme of an application on a device. */
const isNative = (client: Values): boolean =>
  textsOf(client.redirectUris).some((uri) => /^[a-z][a-z0-9+.-]*:/i.test(uri) && !/^https?:/i.test(uri));

function grantsOf(client: Values): { grantTypes: string[]; responseTypes: string[] } {
  const attributes = recordOf(client.attributes);
  if (isTrue(client.bearerOnly)) return { grantTypes: [], responseTypes: ["code"] };
  const isConfidential = !isTrue(client.publicClient);
  const hasCode = !isFalse(client.standardFlowEnabled);
  const hasDevice = isTrue(attributes["oauth2.device.authorization.grant.enabled"]);
  const hasPassword = isTrue(client.directAccessGrantsEnabled);
  const hasCiba = isConfidential && isTrue(attributes["oidc.ciba.grant.enabled"]);
  const hasRefresh = (hasCode || hasDevice || hasPassword || hasCiba) && !isFalse(attributes["use.refresh.tokens"]);
  const isImplicit = isTrue(client.implicitFlowEnabled);
  return {
    grantTypes: [
      ...(hasCode ? ["authorization_code"] : []),
      ...(hasRefresh ? ["refresh_token"] : []),
      ...(isConfidential && isTrue(client.serviceAccountsEnabled) ? ["client_credentials"] : []),
      ...(hasPassword ? ["password"] : []),
      ...(hasDevice ? ["device"] : []),
      ...(hasCiba ? ["CIBA"] : []),
      ...(isConfidential && isTrue(attributes["standard.token.exchange.enabled"]) ? ["token-exchange"] : []),
      ...(isTrue(client.authorizationServicesEnabled) ? ["uma-ticket"] : []),
    ],
    responseTypes: [
      ...(hasCode || !isImplicit ? ["code"] : []),
      ...(isImplicit ? ["id_token", "id_token token"] : []),
      ...(isImplicit && hasCode ? ["code id_token", "code token", "code id_token token"] : []),
    ],
  };
}

/** Translates the client's authentication, with its keys. */
function authenticationOf(realm: KeycloakRealm, client: Values, at: string): Record<string, unknown> {
  const { report } = realm;
  if (isTrue(client.publicClient)) return { publicClient: true };
  const attributes = recordOf(client.attributes);
  const jwksUri = isTrue(attributes["use.jwks.url"]) ? textOf(attributes["jwks.url"]) : undefined;
  const jwks = jwksUri === undefined ? jwksOf(attributes) : undefined;
  const keys = defined({ jwksUri, jwks });
  const alg = clientAlgs.find((one) => one === textOf(attributes["token.endpoint.auth.signing.alg"]));
  const own = textOf(client.secret);
  const secretOf = () => {
    if (own !== undefined && isStrongEnough(own)) return { secret: own };
    const reason =
      own === undefined ? "The file does not have it: one is made up" : "It is shorter or simpler than secrets may be here: one is made up";
    report.unmapped("clients[].secret", reason, at);
    return {};
  };
  switch (textOf(client.clientAuthenticatorType)) {
    case "client-jwt":
      if (jwksUri !== undefined || jwks !== undefined)
        return { authMethod: "private_key_jwt", ...keys, ...(alg && !/^HS/.test(alg) && { authSigningAlg: alg }) };
      report.unmapped(
        "clients[].clientAuthenticatorType",
        "The file has no keys for client-jwt: give the client keys, or let it use the secret that is made up",
        at,
      );
      return {};
    case "client-x509":
      if (textOf(attributes["x509.subjectdn"]) !== undefined && !isTrue(attributes["x509.allow.regex.pattern.comparison"]))
        return { authMethod: "tls_client_auth", tlsClientAuthSubjectDn: textOf(attributes["x509.subjectdn"]) };
      report.unmapped(
        "clients[].attributes.x509.subjectdn",
        "One subject names the certificate here, not a pattern: the client gets a secret",
        at,
      );
      return {};
    case "client-secret-jwt":
      return { authMethod: "client_secret_jwt", ...keys, ...secretOf(), ...(alg && /^HS/.test(alg) && { authSigningAlg: alg }) };
    default:
      return { ...keys, ...(isTrue(client.bearerOnly) ? {} : secretOf()) };
  }
}

function jwksOf(attributes: Values): { keys: Values[] } | undefined {
  const written = isTrue(attributes["use.jwks.string"]) ? recordsOf(recordOf(parsedOf(attributes["jwks.string"])).keys) : [];
  if (written.length > 0) return { keys: written };
  const certificate = textOf(attributes["jwt.credential.certificate"]);
  if (certificate === undefined) return undefined;
  try {
    const { publicKey } = new X509Certificate(Buffer.from(certificate, "base64"));
    return { keys: [{ ...publicKey.export({ format: "jwk" }), use: "sig" }] };
  } catch {
    return undefined; // reported as missing keys
  }
}

function claimsOf(realm: KeycloakRealm, client: Values, at: string) {
  const mappers: Record<string, unknown>[] = [];
  const audience: string[] = [];
  const take = (list: unknown, pattern: string, place: string) => {
    for (const mapper of recordsOf(list))
      for (const made of mapperOf(realm, mapper, pattern, place)) {
        if (made && "audience" in made) audience.push(made.audience);
        else if (made) mappers.push(made.mapper);
      }
  };
  // In Keycloak, default scopes count in every token, whatever the request. Here requests ask for scopes, so the mappers of these go to the client itself.
  for (const name of realm.scopesOf(client).defaults)
    if (realm.scopes.has(name) && realm.scopes.get(name)!.protocol !== "saml")
      take(realm.scopes.get(name)!.protocolMappers, "clients[].defaultClientScopes[]", `${at}.defaultClientScopes[${name}]`);
  take(client.protocolMappers, "clients[].protocolMappers", at);
  // The last mapper of a claim counts. Names that occur twice, in a scope and in the client, are numbered.
  const byClaim = new Map(mappers.map((mapper) => [`${mapper.claim} ${String(mapper.targets)}`, mapper]));
  const names = new Map<string, number>();
  const named = [...byClaim.values()].map((mapper) => {
    const key = String(mapper.name).toLowerCase();
    const count = (names.get(key) ?? 0) + 1;
    names.set(key, count);
    return count === 1 ? mapper : { ...mapper, name: `${mapper.name} ${count}` };
  });
  return { mappers: named, audience: unique(audience) };
}

/** Translates an OpenID Connect client. `account` has the roles of its service account. */
export function clientOf(realm: KeycloakRealm, client: Values, account: { roles: string[]; clientRoles: object[] } | undefined) {
  const { report } = realm;
  const clientId = String(client.clientId);
  const at = `clients[${clientId}]`;
  const attributes = recordOf(client.attributes);
  report.members("clients[]", at, client, clientMembers);
  report.members("clients[].attributes", at, attributes, attributeMembers);
  if (isFalse(client.fullScopeAllowed))
    report.unmapped(
      "clients[].fullScopeAllowed",
      "Tokens hold all roles of the user that its claims ask for: scopes do not limit roles here",
      at,
    );
  const applicationType = isNative(client) ? "native" : "web";
  const pkce = textOf(attributes["pkce.code.challenge.method"]);
  const kept = (uri: unknown, pattern: string): string | undefined => {
    const text = textOf(uri);
    return text === undefined ? undefined : keeping(realm, pattern, at)([text], addressVerdict)[0];
  };
  const alg = (member: string) => signingAlgs.find((one) => one === textOf(attributes[member]));
  const seconds = (member: string, minimum: number, maximum: number) => {
    const number = numberOf(attributes[member]);
    return number === undefined || number <= 0 ? undefined : within(number, minimum, maximum);
  };
  const hasFrontchannel = isTrue(client.frontchannelLogout);
  const base = textOf(client.baseUrl);
  const { defaults, optional } = realm.scopesOf(client);
  const scopes = unique([...defaults, ...optional]).filter(
    (name) => realm.scopes.get(name) !== undefined && realm.scopes.get(name)!.protocol !== "saml",
  );
  const { mappers, audience } = claimsOf(realm, client, at);
  const roles = realm
    .rolesOfClient(clientId)
    .map((role) => roleOf(realm, role, "roles.client.*[]", `roles.client[${clientId}][${role.name}]`, clientId));
  const maxAge = numberOf(attributes["default.max.age"]);
  return {
    clientId,
    ...defined({
      name: ownText(client.name)?.trim() || undefined,
      description: ownText(client.description)?.slice(0, 1000),
      enabled: flagOf(client.enabled),
      consentRequired: isTrue(client.consentRequired) || undefined,
      requirePkce: pkce !== undefined || undefined,
      requirePar: isTrue(attributes["require.pushed.authorization.requests"]) || undefined,
      requireDpop: isTrue(attributes["dpop.bound.access.tokens"]) || undefined,
      certificateBoundTokens: isTrue(attributes["tls.client.certificate.bound.access.tokens"]) || undefined,
      applicationType: applicationType === "native" ? applicationType : undefined,
      backchannelLogoutUri: kept(attributes["backchannel.logout.url"], "clients[].attributes.backchannel.logout.url"),
      backchannelLogoutSessionRequired: isTrue(attributes["backchannel.logout.session.required"]) || undefined,
      frontchannelLogoutUri: hasFrontchannel
        ? kept(attributes["frontchannel.logout.url"], "clients[].attributes.frontchannel.logout.url")
        : undefined,
      accessTokenLifetime: seconds("access.token.lifespan", 10, 86_400),
      accessTokenAlg: alg("access.token.signed.response.alg"),
      idTokenAlg: alg("id.token.signed.response.alg"),
      userinfoAlg: alg("user.info.response.signature.alg"),
      logoUri: kept(attributes.logoUri, "clients[].attributes.logoUri"),
      policyUri: kept(attributes.policyUri, "clients[].attributes.policyUri"),
      tosUri: kept(attributes.tosUri, "clients[].attributes.tosUri"),
      clientUri: base !== undefined && /^https:/.test(base) ? kept(base, "clients[].baseUrl") : undefined,
      defaultAcrValues: acrValuesOf(attributes["default.acr.values"]),
      defaultMaxAge: maxAge === undefined || maxAge < 0 ? undefined : within(maxAge, 0, 315_360_000),
    }),
    ...authenticationOf(realm, client, at),
    ...redirectsOf(realm, client, at, applicationType),
    ...grantsOf(client),
    ...flowsOf(realm, client, at),
    // An empty list would mean the realm's defaults.
    scopes: ["openid", ...scopes.filter((name) => name !== "openid")],
    audience: audience.slice(0, 20),
    mappers: mappers.slice(0, 100),
    roles,
    ...(account && { serviceAccountRoles: account.roles, serviceAccountClientRoles: account.clientRoles }),
  };
}

function acrValuesOf(value: unknown): string[] | undefined {
  const values = (textOf(value) ?? "").split("##").filter((one) => one !== "");
  return values.length === 0 ? undefined : values.slice(0, 20);
}

/** Translates the flows that apply to this client alone. */
export function flowsOf(realm: KeycloakRealm, client: Values, at: string): { browserFlow?: string } {
  const { browser, direct_grant: directGrant } = recordOf(client.authenticationFlowBindingOverrides);
  if (textOf(directGrant) !== undefined)
    realm.report.unmapped(
      "clients[].authenticationFlowBindingOverrides.direct_grant",
      "Flows of the password grant are not carried over",
      at,
    );
  if (textOf(browser) === undefined) return {};
  const alias = realm.flows.get(String(browser));
  if (alias === undefined) {
    realm.report.unmapped(
      "clients[].authenticationFlowBindingOverrides.browser",
      "Its flow could not be carried over: the client uses the flow of the realm",
      at,
    );
    return {};
  }
  return { browserFlow: alias };
}

export const clientsOf = (realm: KeycloakRealm, accounts: ReadonlyMap<string, { roles: string[]; clientRoles: object[] }>): object[] =>
  realm
    .clients("openid-connect")
    .map((client) => clientOf(realm, client, accounts.get(String(client.clientId))))
    // By now, every role that clients include is known.
    .map((client) => ({ ...client, roles: [...client.roles, ...[...realm.namedRolesOf(client.clientId)].map((name) => ({ name }))] }));

/** Reports scope mappings, which have no meaning here: scopes do not limit the roles of a user. */
export function scopeMappingsOf({ value, report }: KeycloakRealm): void {
  for (const _ of listOf(value.scopeMappings)) report.ignored("scopeMappings[]");
  for (const _ of Object.keys(recordOf(value.clientScopeMappings))) report.ignored("clientScopeMappings");
}
