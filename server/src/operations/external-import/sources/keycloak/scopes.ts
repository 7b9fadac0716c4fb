import { recordOf, recordsOf, textOf, textsOf, type Values } from "../../reading.ts";
import { type KeycloakRealm, ownText } from "./export.ts";
import { mapperOf } from "./mappers.ts";

const known = { mapped: ["name", "description", "attributes", "protocolMappers"], ignored: ["id", "protocol"] };
const attributes = {
  mapped: ["consent.screen.text"],
  ignored: ["include.in.token.scope", "display.on.consent.screen", "gui.order", "is.dynamic.scope"],
};
/** Built-in scopes of Keycloak. Here, the protocol itself or the client provides what they stand for. */
const INTERNAL = ["web-origins", "acr", "basic", "service_account"];
/** Scopes that ship here, too. Their mappers have the name of their claim. */
const SHIPPED = ["profile", "email", "address", "phone", "roles"];
const SCOPE_NAME = /^[\x21\x23-\x5B\x5D-\x7E]{1,128}$/;

export interface Scopes {
  readonly claims: object[];
  readonly clientScopes: object[];
}

export function scopesOf(realm: KeycloakRealm): Scopes {
  const claims = new Map<string, object>();
  const clientScopes: object[] = [];
  // The realm keeps its own scopes of these names.
  if (!realm.hasScopes) return { claims: [], clientScopes };
  const defaults = textsOf(realm.value.defaultDefaultClientScopes);
  const optional = textsOf(realm.value.defaultOptionalClientScopes);
  for (const [name, scope] of realm.scopes) {
    const at = `clientScopes[${name}]`;
    if (scope.protocol === "saml") continue; // the mappers of SAML scopes go to the clients that have them
    if (INTERNAL.includes(name)) {
      realm.report.ignored(`clientScopes[].${name}`);
      realm.scopes.delete(name);
      continue;
    }
    if (!SCOPE_NAME.test(name)) {
      realm.report.unmapped("clientScopes[].name", "A scope's name is printable ASCII without spaces (RFC 6749)", at);
      realm.scopes.delete(name);
      continue;
    }
    realm.report.members("clientScopes[]", at, scope, known);
    realm.report.members("clientScopes[].attributes", at, recordOf(scope.attributes), attributes);
    const own = claimsOf(realm, name, scope, at, claims);
    const description = ownText(scope.description)?.slice(0, 1000);
    const consentText = ownText(recordOf(scope.attributes)["consent.screen.text"])?.slice(0, 255);
    clientScopes.push({
      name,
      ...(description !== undefined && { description }),
      ...(consentText !== undefined && { consentText }),
      assignment: defaults.includes(name) ? "DEFAULT" : optional.includes(name) ? "OPTIONAL" : "NONE",
      // A scope without mappers keeps the claims that it has here.
      ...(own.length > 0 && { claims: own }),
    });
  }
  return { claims: [...claims.values()], clientScopes };
}

function claimsOf(realm: KeycloakRealm, scope: string, value: Values, at: string, claims: Map<string, object>): string[] {
  const names: string[] = [];
  for (const mapper of recordsOf(value.protocolMappers))
    for (const made of mapperOf(realm, mapper, "clientScopes[].protocolMappers", `${at}.${textOf(mapper.name)}`)) {
      if (!made) continue;
      if ("audience" in made) {
        realm.report.unmapped("clientScopes[].protocolMappers[oidc-audience-mapper]", "Audiences are settings of clients here", at);
        continue;
      }
      const claim = String(made.mapper.claim);
      const usual = SHIPPED.includes(scope) && !claims.has(claim.toLowerCase()) ? claim : `${scope}: ${made.mapper.name}`;
      const name = claims.has(usual.toLowerCase()) ? `${usual} (${claim})` : usual;
      claims.set(name.toLowerCase(), { ...made.mapper, name });
      names.push(name);
    }
  return names;
}
