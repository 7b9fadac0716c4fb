import { pbkdf2Sync } from "node:crypto";

const salt = Buffer.from("sixteen bytes ok");
const pbkdf2 = (password: string, digest: string, rounds: number) => pbkdf2Sync(password, salt, rounds, 64, digest).toString("base64");

/** Returns a hash as Keycloak writes it since release 10: as JSON in texts. */
export const passwordCredential = (password: string, algorithm = "pbkdf2-sha512", hashIterations = 1000) => ({
  type: "password",
  secretData: JSON.stringify({
    value: pbkdf2(password, algorithm.split("-")[1] ?? "sha1", hashIterations),
    salt: salt.toString("base64"),
    additionalParameters: {},
  }),
  credentialData: JSON.stringify({ hashIterations, algorithm, additionalParameters: {} }),
});

const mapper = (protocolMapper: string, config: Record<string, string>, name = protocolMapper) => ({
  name,
  protocol: "openid-connect",
  protocolMapper,
  config,
});
const everywhere = { "id.token.claim": "true", "access.token.claim": "true", "userinfo.token.claim": "true" };

/** The Argon2 hash that Keycloak made of `password-of-ada`. */
const argon2 = {
  ...{ type: "password", madeUp: "x" },
  secretData: JSON.stringify({ value: "bKZ6uva05PvKVxFE+BGrZZk6gipVqJvjict+hLa35vM=", salt: "c2l4dGVlbiBieXRlcyBvaw==" }),
  credentialData: JSON.stringify({
    hashIterations: 1,
    algorithm: "argon2",
    additionalParameters: { type: ["id"], version: ["1.3"], memory: ["256"], parallelism: ["1"], hashLength: ["32"] },
  }),
};

export const ids = { ada: "0f5d9c1e-6a1b-4d0a-9c57-0d6c2e1f7a01", bob: "0f5d9c1e-6a1b-4d0a-9c57-0d6c2e1f7a02" };
export const TOTP_KEY = "JBSWY3DPEHPK3PXPJBSW";

export const users = [
  {
    ...{
      id: ids.ada,
      username: "ada",
      firstName: "Ada",
      lastName: "Lovelace",
      email: "ada@acme.example",
      emailVerified: true,
      enabled: true,
    },
    ...{ attributes: { department: ["R&D"], languages: ["en", "fr"] }, createdTimestamp: 1_500_000_000_000 },
    ...{ realmRoles: ["default-roles-acme", "manager"], clientRoles: { shop: ["buyer"], account: ["manage-account"] } },
    ...{ groups: ["/Staff / all/Sales"], credentials: [argon2], requiredActions: [] },
  },
  {
    ...{ id: ids.bob, username: "bob", enabled: true, realmRoles: ["default-roles-acme"], requiredActions: ["webauthn-register"] },
    credentials: [
      passwordCredential("password-of-bob"),
      {
        ...{ type: "otp", secretData: JSON.stringify({ value: TOTP_KEY }) },
        credentialData: JSON.stringify({ subType: "totp", digits: 6, period: 30, algorithm: "HmacSHA1" }),
      },
      { type: "recovery-authn-codes", secretData: "{}", credentialData: "{}" },
    ],
  },
  // Releases before 10 wrote hashes in this form.
  {
    ...{ id: "no-uuid", username: "cleo", enabled: true, realmRoles: [] },
    credentials: [
      {
        type: "password",
        hashedSaltedValue: pbkdf2("password-of-cleo", "sha256", 500),
        salt: salt.toString("base64"),
        hashIterations: 500,
        algorithm: "pbkdf2-sha256",
      },
    ],
  },
  { username: "service-account-shop", enabled: true, serviceAccountClientId: "shop", realmRoles: ["clerk"], credentials: [] },
];

/** A small realm with an example of every kind. */
export const realm = {
  ...{ id: "acme-id", realm: "acme", displayName: "Acme", enabled: true, sslRequired: "external", keycloakVersion: "26.7.3" },
  ...{ ssoSessionIdleTimeout: 1_250, accessTokenLifespan: 240, passwordPolicy: "length(9) and digits(1) and regexPattern(x)" },
  roles: {
    realm: [
      { name: "default-roles-acme", composite: true, composites: { realm: ["clerk"], client: { account: ["view-profile"] } } },
      { name: "clerk", description: "A clerk" },
      { name: "manager", composite: true, composites: { realm: ["clerk"], client: { shop: ["seller"] } }, attributes: { level: ["1"] } },
    ],
    client: { shop: [{ name: "buyer" }, { name: "seller", description: "Sells" }], account: [{ name: "view-profile" }] },
  },
  defaultRole: { name: "default-roles-acme" },
  groups: [
    {
      ...{ name: "Staff / all", path: "/Staff / all", realmRoles: ["clerk"], attributes: { floor: ["2"] } },
      subGroups: [{ name: "Sales", path: "/Staff / all/Sales", clientRoles: { shop: ["seller"] }, subGroups: [] }],
    },
  ],
  users,
  clients: [
    { clientId: "account", redirectUris: ["/realms/acme/account/*"] },
    {
      ...{
        clientId: "shop",
        enabled: true,
        clientAuthenticatorType: "client-secret",
        secret: "the-secret-of-the-shop",
        protocol: "openid-connect",
      },
      ...{ redirectUris: ["/callback", "https://shop.example/*"], rootUrl: "https://shop.example", webOrigins: ["+"] },
      ...{ standardFlowEnabled: true, directAccessGrantsEnabled: true, serviceAccountsEnabled: true, publicClient: false },
      attributes: { "pkce.code.challenge.method": "S256", "post.logout.redirect.uris": "+", "made.up": "x" },
      defaultClientScopes: ["roles", "basic"],
      optionalClientScopes: ["orders"],
      protocolMappers: [
        mapper("oidc-hardcoded-claim-mapper", { "claim.name": "tenant.name", "claim.value": "acme", ...everywhere }),
        mapper("oidc-group-membership-mapper", { "claim.name": "groups", "full.path": "true", "made.up": "x", ...everywhere }),
        mapper("oidc-audience-mapper", { "included.custom.audience": "api", "access.token.claim": "true" }),
        mapper("oidc-script-based-protocol-mapper", { "claim.name": "evil" }),
      ],
    },
    {
      ...{ clientId: "https://sp.example/saml", protocol: "saml", enabled: true, redirectUris: ["https://sp.example/acs"] },
      attributes: { "saml.assertion.signature": "true", saml_name_id_format: "email" },
      protocolMappers: [
        {
          name: "mail",
          protocol: "saml",
          protocolMapper: "saml-user-property-mapper",
          config: { "user.attribute": "email", "attribute.name": "mail" },
        },
      ],
    },
  ],
  clientScopes: [
    { name: "basic", protocol: "openid-connect", protocolMappers: [mapper("oidc-sub-mapper", everywhere)] },
    {
      ...{ name: "roles", protocol: "openid-connect" },
      protocolMappers: [
        mapper("oidc-usermodel-realm-role-mapper", {
          "claim.name": "realm_access.roles",
          multivalued: "true",
          "access.token.claim": "true",
        }),
        mapper("oidc-usermodel-client-role-mapper", {
          "claim.name": `resource_access.\${client_id}.roles`,
          multivalued: "true",
          "access.token.claim": "true",
        }),
      ],
    },
    {
      ...{ name: "orders", protocol: "openid-connect", attributes: { "consent.screen.text": "Your orders" } },
      protocolMappers: [mapper("oidc-usermodel-attribute-mapper", { "claim.name": "dept", "user.attribute": "department", ...everywhere })],
    },
  ],
  defaultDefaultClientScopes: ["roles", "basic"],
  identityProviders: [
    {
      ...{ alias: "corp", providerId: "oidc", enabled: true, trustEmail: true },
      config: { issuer: "https://login.corp.example", clientId: "us", clientSecret: "the secret of corp", syncMode: "FORCE" },
    },
    {
      alias: "old",
      providerId: "saml",
      enabled: true,
      config: { singleSignOnServiceUrl: "https://old.example/sso", idpEntityId: "https://old.example" },
    },
    { alias: "bird", providerId: "twitter", enabled: true, config: {} },
  ],
  identityProviderMappers: [
    {
      name: "clerks",
      identityProviderAlias: "corp",
      identityProviderMapper: "oidc-role-idp-mapper",
      config: { claim: "groups", "claim.value": "clerks", role: "clerk", "made.up": "x" },
    },
  ],
  components: {
    "org.keycloak.userprofile.UserProfileProvider": [
      {
        providerId: "declarative-user-profile",
        config: {
          "kc.user.profile.config": [
            JSON.stringify({
              attributes: [
                { name: "username", permissions: { view: ["admin", "user"], edit: ["admin", "user"] } },
                {
                  ...{ name: "lastName", displayName: "${lastName}", required: { roles: ["user"] } },
                  ...{ permissions: { view: ["admin", "user"], edit: ["admin", "user"] }, validations: { length: { max: 255 } } },
                },
                {
                  ...{
                    name: "team",
                    displayName: "Team",
                    group: "work",
                    required: {},
                    permissions: { view: ["admin", "user"], edit: ["admin"] },
                  },
                  validations: { options: { options: ["red", "blue"] } },
                },
                {
                  ...{ name: "badge", permissions: { view: ["admin"], edit: ["admin"] } },
                  validations: { pattern: { pattern: "(?=x)y" }, length: { min: 2, max: 8 } },
                },
              ],
              groups: [{ name: "work", displayHeader: "Your work" }],
            }),
          ],
        },
      },
    ],
    "org.keycloak.storage.UserStorageProvider": [
      {
        ...{ id: "ldap-id", name: "Head Office", providerId: "ldap" },
        config: {
          ...{ enabled: ["false"], vendor: ["other"], connectionUrl: ["ldaps://ldap.corp.example"], usersDn: ["ou=people,dc=corp"] },
          ...{ bindDn: ["cn=admin"], bindCredential: ["ldap secret"], usernameLDAPAttribute: ["cn"] },
        },
        subComponents: {
          "org.keycloak.storage.ldap.mappers.LDAPStorageMapper": [
            {
              name: "phone",
              providerId: "user-attribute-ldap-mapper",
              config: { "ldap.attribute": ["telephoneNumber"], "user.model.attribute": ["phoneNumber"] },
            },
            {
              name: "groups",
              providerId: "group-ldap-mapper",
              config: { "groups.dn": ["ou=groups,dc=corp"], "group.name.ldap.attribute": ["cn"], "groups.path": ["/"] },
            },
          ],
        },
      },
    ],
  },
  authenticationFlows: [
    {
      ...{ id: "f1", alias: "Strong browser", providerId: "basic-flow", topLevel: true, builtIn: false },
      authenticationExecutions: [
        { authenticator: "auth-cookie", requirement: "ALTERNATIVE", priority: 10, madeUp: "x" },
        { authenticator: "auth-spnego", requirement: "ALTERNATIVE", priority: 20 },
        { authenticatorFlow: true, flowAlias: "Strong forms", requirement: "ALTERNATIVE", priority: 30 },
      ],
    },
    {
      ...{ id: "f2", alias: "Strong forms", providerId: "basic-flow", topLevel: false },
      authenticationExecutions: [
        { authenticatorFlow: true, flowAlias: "Maybe", requirement: "CONDITIONAL", priority: 20 },
        { authenticator: "auth-username-password-form", authenticatorConfig: "form", requirement: "REQUIRED", priority: 10 },
      ],
    },
    {
      ...{ id: "f3", alias: "Maybe", providerId: "basic-flow", topLevel: false },
      authenticationExecutions: [
        { authenticator: "conditional-sub-flow-executed", requirement: "REQUIRED", priority: 10 },
        { authenticator: "auth-otp-form", requirement: "REQUIRED", priority: 20 },
      ],
    },
    {
      ...{ id: "f4", alias: "Scripted", providerId: "basic-flow", topLevel: true, builtIn: false },
      authenticationExecutions: [{ authenticator: "auth-script-based", requirement: "REQUIRED", priority: 10 }],
    },
  ],
  authenticatorConfig: [{ alias: "form", config: { "made.up": "x" } }],
  browserFlow: "browser",
  organizations: [
    {
      name: "Globex",
      alias: "globex",
      enabled: true,
      domains: [{ name: "globex.example", verified: true, madeUp: "x" }],
      members: [{ username: "ada" }],
    },
  ],
  smtpServer: {
    host: "mail.acme.example",
    from: "no-reply@acme.example",
    port: "587",
    starttls: "true",
    auth: "true",
    user: "mailer",
    password: "**********",
  },
};
