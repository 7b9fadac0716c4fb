import type { Values } from "../../reading.ts";

const everywhere = { "id.token.claim": "true", "access.token.claim": "true", "userinfo.token.claim": "true" };
const mapper = (name: string, kind: string, config: Readonly<Record<string, string>>): Values => ({
  name,
  protocolMapper: kind,
  config: { ...everywhere, ...config },
});
const attribute = (claim: string, name: string, type = "String", kind = "oidc-usermodel-attribute-mapper") =>
  mapper(claim, kind, { "user.attribute": name, "claim.name": claim, "jsonType.label": type });
const inAccessTokens = { "id.token.claim": "false", "userinfo.token.claim": "false" };

/** The scopes that Keycloak gives a realm whose file names none, as far as they have claims. */
export const builtInScopes: readonly Values[] = [
  {
    name: "profile",
    protocolMappers: [
      mapper("full name", "oidc-full-name-mapper", {}),
      attribute("preferred_username", "username"),
      attribute("given_name", "firstName"),
      attribute("family_name", "lastName"),
      attribute("middle_name", "middleName"),
      ...["nickname", "profile", "picture", "website", "gender", "birthdate", "zoneinfo", "locale"].map((name) => attribute(name, name)),
      attribute("updated_at", "updatedAt", "long"),
    ],
  },
  {
    name: "email",
    protocolMappers: [
      attribute("email", "email"),
      attribute("email_verified", "emailVerified", "boolean", "oidc-usermodel-property-mapper"),
    ],
  },
  {
    name: "roles",
    protocolMappers: [
      mapper("realm roles", "oidc-usermodel-realm-role-mapper", { "claim.name": "realm_access.roles", ...inAccessTokens }),
      mapper("client roles", "oidc-usermodel-client-role-mapper", {
        "claim.name": `resource_access.\${client_id}.roles`,
        ...inAccessTokens,
      }),
    ],
  },
  {
    name: "role_list",
    protocol: "saml",
    protocolMappers: [
      { name: "role list", protocolMapper: "saml-role-list-mapper", config: { "attribute.name": "Role", "attribute.nameformat": "Basic" } },
    ],
  },
  ...["address", "phone", "offline_access"].map((name) => ({ name })),
];
export const builtInAssignments = {
  defaults: ["role_list", "profile", "email", "roles"],
  optional: ["address", "phone", "offline_access"],
};
