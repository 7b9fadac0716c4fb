import { defined, isTrue, recordOf, textOf, type Values } from "../../reading.ts";
import type { KeycloakRealm } from "./export.ts";

/** A claim mapper of our document, or an audience; null if there is neither. */
type Mapped = { readonly mapper: Record<string, unknown> } | { readonly audience: string } | null;

const TYPES: Readonly<Record<string, string>> = { String: "string", int: "number", long: "number", boolean: "boolean", JSON: "json" };
/** Mappers of claims that the protocol itself, or the engine, sets here. */
const OF_THE_PROTOCOL = [
  ...[
    "oidc-sub-mapper",
    "oidc-acr-mapper",
    "oidc-amr-mapper",
    "oidc-allowed-origins-mapper",
    "oidc-audience-resolve-mapper",
    "oidc-nonce-backwards-compatible-mapper",
  ],
  ...["oidc-session-state-mapper", "oidc-at-hash-mapper", "saml-authn-context-class-ref-mapper"],
];
const PROTOCOL_CLAIMS = ["sub", "auth_time", "acr", "amr", "sid", "azp", "nonce"];
const PROPERTIES: Readonly<Record<string, string>> = {
  ...{ id: "userId", username: "username", email: "email", emailVerified: "emailVerified", createdTimestamp: "createdAt" },
};
const ADDRESS: Readonly<Record<string, string>> = {
  ...{
    formatted: "formatted",
    street: "street_address",
    locality: "locality",
    region: "region",
    postal_code: "postal_code",
    country: "country",
  },
};

const MEMBERS = { mapped: ["name", "protocolMapper", "config"], ignored: ["id", "protocol", "consentRequired", "consentText"] };
/** The configuration of all kinds of mappers that are known here. */
const CONFIG = {
  mapped: [
    ...[
      "claim.name",
      "claim.value",
      "user.attribute",
      "jsonType.label",
      "multivalued",
      "full.path",
      "usermodel.clientRoleMapping.clientId",
    ],
    ...["id.token.claim", "access.token.claim", "userinfo.token.claim", "introspection.token.claim"],
    ...["included.client.audience", "included.custom.audience", ...Object.keys(ADDRESS).map((part) => `user.attribute.${part}`)],
    ...["attribute.name", "attribute.value", "attribute.nameformat", "friendly.name"],
  ],
  // Here, there are no lightweight tokens, token responses hold no claims, and the values of an attribute are one element of an assertion.
  ignored: ["lightweight.claim", "access.tokenResponse.claim", "single"],
};

function carried({ report }: KeycloakRealm, mapper: Values, path: string, at: string): void {
  report.mapped(path);
  report.members(path, at, mapper, MEMBERS);
  report.members(`${path}.config`, at, recordOf(mapper.config), CONFIG);
}

function targetsOf(config: Values): string[] {
  const targets = [
    ...(isTrue(config["id.token.claim"]) ? ["idToken"] : []),
    ...(isTrue(config["access.token.claim"]) ? ["accessToken"] : []),
    ...(isTrue(config["userinfo.token.claim"]) ? ["userinfo"] : []),
    // Older releases leave this out: their introspection answers with the claims of the access token.
    ...(isTrue(config["introspection.token.claim"] ?? config["access.token.claim"]) ? ["introspection"] : []),
  ];
  return targets;
}

/** Returns the source of a claim by the kind of its mapper, or null if the kind is unknown. */
function sourceOf(kind: string, config: Values): { source: string; value: string; multivalued?: boolean; type?: string } | null {
  const attribute = textOf(config["user.attribute"]) ?? "";
  const client = textOf(config["usermodel.clientRoleMapping.clientId"]);
  switch (kind.replace(/^saml-/, "oidc-").replace(/^oidc-user-(attribute|property)-mapper$/, "oidc-usermodel-$1-mapper")) {
    case "oidc-usermodel-property-mapper":
    case "oidc-usermodel-attribute-mapper":
      if (Object.hasOwn(PROPERTIES, attribute)) return { source: "property", value: PROPERTIES[attribute]! };
      return attribute === "" ? null : { source: "attribute", value: attribute };
    case "oidc-full-name-mapper":
      return { source: "property", value: "name" };
    case "oidc-usermodel-realm-role-mapper":
    case "oidc-role-list-mapper":
      return { source: "roles", value: "realm", multivalued: true };
    case "oidc-usermodel-client-role-mapper":
      return { source: "roles", value: client === undefined ? "client" : `client:${client}`, multivalued: true };
    case "oidc-group-membership-mapper":
      return { source: "groups", value: isTrue(config["full.path"]) ? "path" : "name", multivalued: true };
    case "oidc-organization-membership-mapper":
      return { source: "organizations", value: "alias", multivalued: true };
    case "oidc-hardcoded-claim-mapper":
    case "oidc-hardcode-attribute-mapper":
      return { source: "constant", value: textOf(config["claim.value"] ?? config["attribute.value"]) ?? "" };
    default:
      return null;
  }
}

/** Translates a protocol mapper of an OpenID Connect client or scope. */
export function mapperOf(realm: KeycloakRealm, mapper: Values, pattern: string, at: string): Mapped[] {
  const { report } = realm;
  const kind = textOf(mapper.protocolMapper) ?? "";
  const path = `${pattern}[${kind}]`;
  const config = recordOf(mapper.config);
  const name = textOf(mapper.name) ?? kind;
  if (OF_THE_PROTOCOL.includes(kind) || PROTOCOL_CLAIMS.includes(String(config["claim.name"]))) {
    report.ignored(path);
    return [];
  }
  const audience = textOf(config["included.client.audience"]) ?? textOf(config["included.custom.audience"]);
  if (kind === "oidc-audience-mapper" && audience !== undefined) {
    if (isTrue(config["id.token.claim"])) report.unmapped(`${path}.config.id.token.claim`, "The audience of an ID token is its client", at);
    carried(realm, mapper, path, at);
    return isTrue(config["access.token.claim"]) ? [{ audience }] : [];
  }
  if (kind === "oidc-address-mapper") {
    carried(realm, mapper, path, at);
    return Object.entries(ADDRESS).map(([part, member]) => ({
      mapper: {
        ...{ name: `${name} ${member}`, claim: `address.${member}`, source: "attribute", targets: targetsOf(config) },
        value: textOf(config[`user.attribute.${part}`]) ?? part,
      },
    }));
  }
  const source = sourceOf(kind, config);
  const claim = kind === "oidc-full-name-mapper" ? "name" : textOf(config["claim.name"]);
  if (!source || claim === undefined) {
    report.unmapped(path, source ? "It has no claim.name" : "Claims come from no such source here", at);
    return [];
  }
  carried(realm, mapper, path, at);
  // `${client_id}` stands for each client of which the user has roles. Here one claim has the roles of all clients.
  const everyClient = /^([^$]+)\.\$\{client_id\}\.roles$/.exec(claim);
  if (everyClient && source.source === "roles")
    return [{ mapper: { name, claim: everyClient[1]!, source: "roles", value: "clients", type: "json", targets: targetsOf(config) } }];
  return [
    {
      mapper: {
        ...{
          name,
          claim: claim.replace(/\$\{client_id\}/g, "client"),
          source: source.source,
          value: source.value,
          targets: targetsOf(config),
        },
        ...defined({
          type: TYPES[textOf(config["jsonType.label"]) ?? ""] ?? typeOf(source),
          multivalued: source.multivalued === true || isTrue(config.multivalued) ? true : undefined,
        }),
      },
    },
  ];
}

const typeOf = ({ source, value }: { source: string; value: string }): string | undefined =>
  source === "property" && value === "emailVerified" ? "boolean" : undefined;

const FORMATS: Readonly<Record<string, string>> = { "URI Reference": "uri", Basic: "basic", Unspecified: "unspecified" };

/** Translates a protocol mapper of a SAML client or scope. Returns null if there is no equivalent. */
export function samlMapperOf(realm: KeycloakRealm, mapper: Values, pattern: string, at: string): Record<string, unknown> | null {
  const kind = textOf(mapper.protocolMapper) ?? "";
  const path = `${pattern}[${kind}]`;
  const config = recordOf(mapper.config);
  if (OF_THE_PROTOCOL.includes(kind)) {
    realm.report.ignored(path);
    return null;
  }
  const source = sourceOf(kind, config);
  const usual = kind === "saml-role-list-mapper" ? "Role" : kind === "saml-organization-membership-mapper" ? "organization" : undefined;
  const samlName = textOf(config["attribute.name"]) ?? usual;
  if (!source || samlName === undefined) {
    realm.report.unmapped(path, source ? "It has no attribute.name" : "Attributes come from no such source here", at);
    return null;
  }
  carried(realm, mapper, path, at);
  return {
    ...{ name: textOf(mapper.name) ?? samlName, samlName, source: source.source, value: source.value },
    ...defined({
      multivalued: source.multivalued === true ? true : undefined,
      samlNameFormat: FORMATS[textOf(config["attribute.nameformat"]) ?? ""],
      samlFriendlyName: textOf(config["friendly.name"]),
    }),
  };
}
