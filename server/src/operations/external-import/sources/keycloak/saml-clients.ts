import { addressVerdict } from "../../../../applications/clients/index.ts";
import { defined, flagOf, isTrue, recordOf, recordsOf, textOf, textsOf, unique, type Values } from "../../reading.ts";
import { clientMembers, flowsOf } from "./clients.ts";
import { type KeycloakRealm, ownText } from "./export.ts";
import { samlMapperOf } from "./mappers.ts";

const attributeMembers = {
  mapped: [
    ...["saml_assertion_consumer_url_post", "saml_assertion_consumer_url_redirect", "saml_single_logout_service_url_redirect"],
    ...["saml_single_logout_service_url_post", "saml_single_logout_service_url_soap", "saml.signing.certificate", "saml.client.signature"],
    ...["saml.encrypt", "saml.encryption.certificate", "saml_name_id_format", "saml.assertion.signature", "saml.server.signature"],
    ...["saml_idp_initiated_sso_url_name", "saml_idp_initiated_sso_relay_state", "saml.assertion.lifespan"],
  ],
  ignored: [
    ...[
      "realm_client",
      "client.secret.creation.time",
      "saml.force.post.binding",
      "saml.artifact.binding.identifier",
      "saml.signature.algorithm",
    ],
    ...[
      "saml_force_name_id_format",
      "saml.authnstatement",
      "saml_signature_canonicalization_method",
      "saml.multivalued.roles",
      "display.on.consent.screen",
    ],
    ...[
      "saml.server.signature.keyinfo.ext",
      "saml.server.signature.keyinfo.xmlSigKeyInfoKeyNameTransformer",
      "saml.onetimeuse.condition",
      "saml.signing.private.key",
    ],
    ...[
      "post.logout.redirect.uris",
      "saml.encryption.private.key",
      "saml.encryption.algorithm",
      "saml.encryption.keyAlgorithm",
      "saml.encryption.digestMethod",
    ],
  ],
};

const NAME_IDS: Readonly<Record<string, string>> = {
  username: "unspecified",
  email: "email",
  transient: "transient",
  persistent: "persistent",
};

/** Translates the service providers. One without an address for assertions is left out. */
export const samlClientsOf = (realm: KeycloakRealm): object[] =>
  realm.clients("saml").flatMap((client) => samlClientOf(realm, client) ?? []);

function samlClientOf(realm: KeycloakRealm, client: Values): object | null {
  const { report } = realm;
  const entityId = String(client.clientId);
  const at = `clients[${entityId}]`;
  const attributes = recordOf(client.attributes);
  report.members("clients[]", at, client, clientMembers);
  report.members("clients[].attributes", at, attributes, attributeMembers);
  const usable = (uris: readonly (string | undefined)[]) =>
    unique(uris.flatMap((uri) => (uri === undefined ? [] : [uri]))).filter((uri) => addressVerdict(uri) === null);
  const written = [textOf(attributes.saml_assertion_consumer_url_post), textOf(client.adminUrl), ...textsOf(client.redirectUris)];
  const consumers = usable(written);
  if (written.some((uri) => uri !== undefined && !consumers.includes(uri)))
    report.unmapped("clients[].redirectUris", "An address that takes assertions is written in full, with https", at);
  const [assertionConsumerServiceUrl, ...additionalAcsUrls] = consumers;
  if (assertionConsumerServiceUrl === undefined) {
    report.unmapped("clients[]", "A service provider needs an address for assertions, in full and with https", at);
    return null;
  }
  const endpoints = (["redirect", "post", "soap"] as const).flatMap((binding) =>
    usable([textOf(attributes[`saml_single_logout_service_url_${binding}`])]).map((url) => ({ binding, url, responseUrl: null })),
  );
  const signs = isTrue(attributes["saml.client.signature"]);
  const encrypts = isTrue(attributes["saml.encrypt"]);
  const initiated = textOf(attributes.saml_idp_initiated_sso_url_name) !== undefined;
  return {
    entityId,
    assertionConsumerServiceUrl,
    ...defined({
      enabled: flagOf(client.enabled),
      signingCertificate: signs ? textOf(attributes["saml.signing.certificate"]) : undefined,
      singleLogoutServiceUrl: endpoints.find(({ binding }) => binding !== "soap")?.url,
    }),
    options: defined({
      name: ownText(client.name)?.trim() || undefined,
      description: ownText(client.description)?.slice(0, 1000),
      signAssertion: flagOf(attributes["saml.assertion.signature"]),
      signResponse: flagOf(attributes["saml.server.signature"]),
      wantAuthnRequestsSigned: signs || undefined,
      encryptAssertion: encrypts || undefined,
      encryptionCertificate: encrypts ? textOf(attributes["saml.encryption.certificate"]) : undefined,
      nameIdFormat: NAME_IDS[textOf(attributes.saml_name_id_format) ?? ""],
      idpInitiatedSsoEnabled: initiated || undefined,
      defaultRelayState: textOf(attributes.saml_idp_initiated_sso_relay_state),
      consentRequired: isTrue(client.consentRequired) || undefined,
      additionalAcsUrls,
      ...(endpoints.length > 0 && { sloEndpoints: endpoints }),
      ...flowsOf(realm, client, at),
    }),
    mappers: mappersOf(realm, client, at),
  };
}

/** Translates the mappers of a client and of its scopes, because a SAML request asks for no scopes. */
function mappersOf(realm: KeycloakRealm, client: Values, at: string): object[] {
  const ofScopes = realm.scopesOf(client).defaults.flatMap((name) => {
    const scope = realm.scopes.get(name);
    return scope?.protocol === "saml" ? recordsOf(scope.protocolMappers) : [];
  });
  const byName = new Map<string, Record<string, unknown>>();
  for (const mapper of [...ofScopes, ...recordsOf(client.protocolMappers)]) {
    const made = samlMapperOf(realm, mapper, "clients[].protocolMappers", at);
    // The client's own mapper replaces a scope's mapper of the same attribute.
    if (made) byName.set(String(made.samlName), made);
  }
  return [...byName.values()].slice(0, 100);
}
