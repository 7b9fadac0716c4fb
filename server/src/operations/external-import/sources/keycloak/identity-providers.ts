import { defined, flagOf, isTrue, numberOf, parsedOf, recordOf, recordsOf, textOf, type Values, within } from "../../reading.ts";
import type { KeycloakRealm } from "./export.ts";

const PROTOCOLS: Readonly<Record<string, string>> = {
  ...{
    oidc: "oidc",
    "keycloak-oidc": "oidc",
    oauth2: "oauth2",
    google: "google",
    github: "github",
    microsoft: "microsoft",
    gitlab: "gitlab",
  },
  ...{
    linkedin: "linkedin",
    "linkedin-openid-connect": "linkedin",
    facebook: "facebook",
    apple: "apple",
    discord: "discord",
    saml: "saml",
  },
};

const known = {
  mapped: ["alias", "displayName", "providerId", "enabled", "trustEmail", "storeToken", "linkOnly", "hideOnLogin", "config"],
  ignored: [
    ...[
      "internalId",
      "types",
      "addReadTokenRoleOnCreate",
      "firstBrokerLoginFlowAlias",
      "updateProfileFirstLoginMode",
      "authenticateByDefault",
    ],
    ...["organizationId", "postBrokerLoginFlowAlias"],
  ],
};
const configMembers = {
  mapped: [
    ...[
      "issuer",
      "clientId",
      "clientSecret",
      "defaultScope",
      "authorizationUrl",
      "tokenUrl",
      "userInfoUrl",
      "jwksUrl",
      "logoutUrl",
      "pkceEnabled",
    ],
    ...["clientAuthMethod", "hideOnLoginPage", "guiOrder", "syncMode", "hostedDomain", "tenantId", "singleSignOnServiceUrl", "idpEntityId"],
    ...["entityId", "signingCertificate", "singleLogoutServiceUrl", "postBindingAuthnRequest", "nameIDPolicyFormat", "principalType"],
    ...["principalAttribute", "wantAuthnRequestsSigned", "wantAssertionsSigned", "forceAuthn", "allowedClockSkew", "metadataDescriptorUrl"],
    ...["useMetadataDescriptorUrl", "loginHint", "acceptsPromptNoneForwardFromClient"],
  ],
  ignored: [
    ...[
      "useJwksUrl",
      "validateSignature",
      "pkceMethod",
      "postBindingResponse",
      "backchannelSupported",
      "postBindingLogout",
      "signatureAlgorithm",
    ],
    ...[
      "xmlSigKeyInfoKeyNameTransformer",
      "addExtensionsElementWithKeyInfo",
      "attributeConsumingServiceIndex",
      "enabledFromMetadata",
      "isAccessTokenJWT",
    ],
    ...["allowCreate", "sendClientIdOnLogout", "sendIdTokenOnLogout", "caseSensitiveOriginalUsername", "guiOrder", "showInAccountConsole"],
  ],
};

const NAME_IDS: Readonly<Record<string, string>> = {
  ...{ persistent: "persistent", transient: "transient", emailAddress: "email", unspecified: "unspecified" },
};

/** Translates the members that every provider has here. */
const sharedOf = (provider: Values, config: Values): Record<string, unknown> => {
  const order = numberOf(config.guiOrder);
  return defined({
    hideOnLogin: isTrue(provider.hideOnLogin) || isTrue(config.hideOnLoginPage) || undefined,
    order: order === undefined ? undefined : within(order, 0, 100_000),
    trustEmail: isTrue(provider.trustEmail) || undefined,
    provisioning: isTrue(provider.linkOnly) ? "link-only" : undefined,
    sync: config.syncMode === "FORCE" ? "force" : undefined,
  });
};

const METHODS: Readonly<Record<string, string>> = {
  ...{
    client_secret_post: "client_secret_post",
    client_secret_basic: "client_secret_basic",
    client_secret_basic_unencoded: "client_secret_basic",
  },
};

function oidcConfig(provider: Values, config: Values, protocol: string): Record<string, unknown> {
  const isPlain = protocol === "oidc" || protocol === "oauth2";
  return defined({
    issuer: isPlain ? textOf(config.issuer) : undefined,
    clientId: textOf(config.clientId),
    clientSecret: textOf(config.clientSecret),
    scopes: textOf(config.defaultScope)?.split(/\s+/).filter(Boolean),
    ...(isPlain && {
      ...{ authorizationUrl: textOf(config.authorizationUrl), tokenUrl: textOf(config.tokenUrl), userinfoUrl: textOf(config.userInfoUrl) },
      ...{ jwksUrl: textOf(config.jwksUrl), logoutUrl: textOf(config.logoutUrl), pkce: flagOf(config.pkceEnabled) },
      clientAuthMethod: METHODS[textOf(config.clientAuthMethod) ?? ""],
    }),
    ...(protocol === "google" && { hostedDomain: config.hostedDomain === "*" ? undefined : textOf(config.hostedDomain) }),
    ...(protocol === "microsoft" && { tenant: textOf(config.tenantId) }),
    storeTokens: isTrue(provider.storeToken) || undefined,
  });
}

function samlConfig(realm: KeycloakRealm, config: Values, at: string): Record<string, unknown> {
  const format = textOf(config.nameIDPolicyFormat)?.split(":").at(-1) ?? "";
  const certificates = (textOf(config.signingCertificate) ?? "")
    .split(",")
    .map((one) => one.trim())
    .filter(Boolean);
  const byAttribute = config.principalType === "ATTRIBUTE";
  if (config.principalType === "FRIENDLY_ATTRIBUTE")
    realm.report.unmapped(
      "identityProviders[].config.principalType",
      "Name the attribute itself: a friendly name does not identify a user",
      at,
    );
  const skew = numberOf(config.allowedClockSkew);
  const usesMetadata = isTrue(config.useMetadataDescriptorUrl);
  return defined({
    ssoUrl: textOf(config.singleSignOnServiceUrl),
    idpEntityId: textOf(config.idpEntityId),
    spEntityId: textOf(config.entityId),
    idpSigningCertificate: certificates.length > 0 && !usesMetadata ? certificates : undefined,
    metadataUrl: usesMetadata ? textOf(config.metadataDescriptorUrl) : undefined,
    singleLogoutServiceUrl: textOf(config.singleLogoutServiceUrl),
    authnRequestBinding: isTrue(config.postBindingAuthnRequest) ? "post" : "redirect",
    nameIdFormat: NAME_IDS[format],
    subjectAttribute: byAttribute ? textOf(config.principalAttribute) : undefined,
    signAuthnRequests: flagOf(config.wantAuthnRequestsSigned),
    wantAssertionsSigned: isTrue(config.wantAssertionsSigned) || undefined,
    forceAuthn: isTrue(config.forceAuthn) || undefined,
    clockSkewSeconds: skew === undefined ? undefined : within(skew, 0, 600),
  });
}

/** Translates a template: `${CLAIM.preferred_username}` is `{preferred_username}` here. Returns undefined if a part has no counterpart. */
const templateOf = (text: string): string | undefined => {
  const template = text
    .replace(/\$\{(?:CLAIM|ATTRIBUTE)\.([^${}|]+)(\|\s*localpart)?\}/g, (_all, name: string, local: string | undefined) =>
      local === undefined ? `{${name}}` : `{${name.trim()}|local}`,
    )
    .replace(/\$\{ALIAS\}/g, "{alias}")
    .replace(/\$\{NAMEID\}/g, "{sub}");
  return template.includes("$") ? undefined : template;
};

interface ProviderMappers {
  readonly mappers: Record<string, unknown>[];
  readonly usernameTemplate?: string;
}

function mappersOf(realm: KeycloakRealm, alias: string): ProviderMappers {
  const mappers: Record<string, unknown>[] = [];
  let usernameTemplate: string | undefined;
  for (const mapper of recordsOf(realm.value.identityProviderMappers).filter((one) => one.identityProviderAlias === alias)) {
    const kind = textOf(mapper.identityProviderMapper) ?? "";
    const at = `identityProviderMappers[${alias}][${textOf(mapper.name)}]`;
    const config = recordOf(mapper.config);
    realm.report.members(`identityProviderMappers[${kind}]`, at, mapper, mapperMembers);
    realm.report.members(`identityProviderMappers[${kind}].config`, at, config, mapperConfig);
    if (/^(oidc|saml)-username-idp-mapper$/.test(kind) && textOf(config.template) !== undefined) {
      usernameTemplate = templateOf(String(config.template));
      if (usernameTemplate !== undefined) continue;
    }
    const made = mapperOf(realm, kind, config, at);
    if (typeof made === "string") realm.report.unmapped(`identityProviderMappers[${kind}]`, made, at);
    else {
      realm.report.mapped(`identityProviderMappers[${kind}]`);
      mappers.push({ name: textOf(mapper.name) ?? kind, ...made, sync: syncOf(config.syncMode, realm, alias) });
    }
  }
  return { mappers, ...(usernameTemplate !== undefined && { usernameTemplate }) };
}

const mapperMembers = { mapped: ["name", "identityProviderAlias", "identityProviderMapper", "config"], ignored: ["id"] };
const mapperConfig = {
  mapped: [
    ...["syncMode", "template", "target", "role", "group", "claim", "claim.value", "claims", "attribute", "attributes"],
    ...["attribute.name", "attribute.value", "jsonField", "user.attribute", "userAttribute"],
  ],
};

function syncOf(mode: unknown, realm: KeycloakRealm, alias: string): "import" | "force" {
  if (mode === "FORCE") return "force";
  if (mode === "IMPORT") return "import";
  const provider = recordsOf(realm.value.identityProviders).find((one) => one.alias === alias);
  return recordOf(provider?.config).syncMode === "FORCE" ? "force" : "import";
}

/** Returns the mapper, or the reason why there is none. */
function mapperOf(realm: KeycloakRealm, kind: string, config: Values, at: string): Record<string, unknown> | string {
  const claim = textOf(config.claim) ?? textOf(config["attribute.name"]) ?? textOf(config.jsonField);
  const value = textOf(config["claim.value"]) ?? textOf(config["attribute.value"]);
  const attribute = textOf(config["user.attribute"]) ?? textOf(config.userAttribute);
  const theirRole = textOf(config.role);
  const several = parsedOf(config.claims ?? config.attributes);
  const only = Array.isArray(several) && several.length === 1 ? recordOf(several[0]) : {};
  if (/role/.test(kind) && theirRole !== undefined && !realm.isRealmRole(theirRole))
    return "Providers give roles of the realm only: let one include the client's role";
  const role = theirRole === undefined ? undefined : realm.roleName(theirRole);
  if (/^(oidc|saml)-user-attribute-idp-mapper$|-user-attribute-mapper$/.test(kind)) {
    if (claim === undefined || attribute === undefined) return "It names no claim, or no attribute";
    if (["email", "firstName", "lastName", "username"].includes(attribute))
      return "The members emailAttribute, firstNameAttribute and lastNameAttribute of the provider say this";
    return { type: "attribute", claim, attribute };
  }
  if (kind === "hardcoded-attribute-idp-mapper" && textOf(config.attribute) !== undefined)
    return { type: "template", template: textOf(config["attribute.value"]) ?? "", attribute: textOf(config.attribute) };
  if (kind === "oidc-hardcoded-role-idp-mapper" && role !== undefined) return { type: "role", role };
  if (/^(oidc|saml)-role-idp-mapper$/.test(kind) && role !== undefined && claim !== undefined && value !== undefined)
    return { type: "role", claim, value, role };
  if (/-advanced-(role|group)-idp-mapper$/.test(kind)) {
    if (isTrue(config["are.claim.values.regex"]) || isTrue(config["are.attribute.values.regex"]))
      return "Values are compared letter by letter here, not as patterns";
    const [key, wanted] = [textOf(only.key), textOf(only.value)];
    if (key === undefined || wanted === undefined) return "One claim decides here, not several";
    if (role !== undefined) return { type: "role", claim: key, value: wanted, role };
    const group = realm.groupPaths.get(textOf(config.group) ?? "");
    return group === undefined ? "Its group is not in the file" : { type: "group", claim: key, value: wanted, group };
  }
  const group = realm.groupPaths.get(textOf(config.group) ?? "");
  if (kind === "oidc-hardcoded-group-idp-mapper" && group !== undefined) return { type: "group", group };
  return `Mappers are of no such kind here (${at.split("[")[0]})`;
}

export function identityProvidersOf(realm: KeycloakRealm): object[] {
  return recordsOf(realm.value.identityProviders).flatMap((provider) => {
    const alias = textOf(provider.alias) ?? "";
    const at = `identityProviders[${alias}]`;
    const config = recordOf(provider.config);
    const kind = textOf(provider.providerId) ?? "";
    const protocol = Object.hasOwn(PROTOCOLS, kind) ? PROTOCOLS[kind]! : undefined;
    if (protocol === undefined) {
      realm.report.unmapped(
        `identityProviders[].providerId[${kind}]`,
        "There is no preset for this provider: try `oidc` or `oauth2` with its addresses",
        at,
      );
      return [];
    }
    realm.report.members("identityProviders[]", at, provider, known);
    realm.report.members("identityProviders[].config", at, config, configMembers);
    const own = protocol === "saml" ? samlConfig(realm, config, at) : oidcConfig(provider, config, protocol);
    const { mappers, usernameTemplate } = mappersOf(realm, alias);
    if (protocol !== "saml" && own.clientSecret === undefined && own.clientAuthMethod === undefined) {
      realm.report.unmapped(
        "identityProviders[].config.clientSecret",
        "The file does not have the secret: make the provider by hand, with it",
        at,
      );
      return [];
    }
    return [
      {
        ...{ alias, protocol, displayName: textOf(provider.displayName) ?? alias, enabled: provider.enabled !== false },
        config: { ...own, ...sharedOf(provider, config), ...(usernameTemplate !== undefined && { usernameTemplate }) },
        mappers,
      },
    ];
  });
}
