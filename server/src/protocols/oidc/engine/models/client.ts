import type { Client, ClientMetadata, Provider } from "oidc-provider";
import { type ClientSnapshot, isUsable, type ResponseType } from "../../../../applications/clients/index.ts";
import { clock } from "../../../../kernel/clock.ts";
import { currentSecrets, isPublic } from "../../../client-auth/index.ts";
import { scopesFor } from "../../../tokens/index.ts";
import { ACR_VALUES, responseTypesOf } from "../../capabilities.ts";
import type { RealmParts } from "../../parts.ts";

const snapshots = new WeakMap<Client, ClientSnapshot>();
const makers = new WeakMap<Provider, (snapshot: ClientSnapshot) => Client | undefined>();

/** Returns the snapshot from which an engine client was made. */
export function snapshotOf(client: Client): ClientSnapshot {
  const snapshot = snapshots.get(client);
  if (!snapshot) throw new Error(`The client ${client.clientId} did not come from the cache of clients`);
  return snapshot;
}

/** Returns the engine's client for a snapshot, or undefined if the client's configuration cannot work. */
export const engineClient = (provider: Provider, snapshot: ClientSnapshot): Client | undefined => makers.get(provider)?.(snapshot);

type EngineClient = Client & {
  subjectType: string;
  symmetricKeyStore: Iterable<{ k?: string; alg?: string; use?: string; kty?: string }> & { add(jwk: object): void };
};

/** Makes the engine find clients in our cache, with one instance per snapshot. */
export function overrideClients(provider: Provider, parts: RealmParts): void {
  const { realmId } = parts.realm;
  const model = provider.Client as unknown as {
    new (metadata: ClientMetadata): EngineClient;
    find(id: unknown): Promise<Client | undefined>;
    prototype: { includeSid(): boolean };
  };
  const made = new WeakMap<ClientSnapshot, { readonly client: EngineClient | null; readonly until: number }>();

  const make = (snapshot: ClientSnapshot): EngineClient | null => {
    try {
      const client = new model(metadataFor(snapshot, parts));
      // Makes the engine call `pairwiseIdentifier` for every subject strategy, without its registration rules for pairwise clients.
      client.subjectType = "pairwise";
      for (const { value } of currentSecrets(snapshot).slice(1))
        for (const { alg, use } of [...client.symmetricKeyStore])
          client.symmetricKeyStore.add({ kty: "oct", alg, use, k: Buffer.from(value).toString("base64url") });
      snapshots.set(client, snapshot);
      return client;
    } catch (err) {
      parts.log.warn({ err, realm: realmId, clientId: snapshot.clientId }, "a client is configured in a way that cannot work");
      return null;
    }
  };

  const clientOf = (snapshot: ClientSnapshot): Client | undefined => {
    let known = made.get(snapshot);
    // An engine client contains keys derived from the secrets, so it expires with them.
    if (known === undefined || known.until <= clock.now()) {
      known = { client: make(snapshot), until: Math.min(...currentSecrets(snapshot).map(({ until }) => until ?? Infinity)) };
      made.set(snapshot, known);
    }
    return known.client ?? undefined;
  };
  makers.set(provider, clientOf);

  model.find = async (id) => {
    const snapshot = typeof id === "string" && id !== "" ? await parts.clients.get(realmId, id) : null;
    return snapshot && isUsable(snapshot, clock.now()) ? clientOf(snapshot) : undefined;
  };
  model.prototype.includeSid = () => true;
}

const given = <T extends object>(members: T): { [K in keyof T]?: NonNullable<T[K]> } =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null && value !== undefined)) as never;

/** Returns the client's response types that the realm allows. `code` needs the grant type, and all need a redirect URI. */
const allowedResponseTypes = ({ grantTypes, redirectUris, settings }: ClientSnapshot, { realm }: RealmParts): ResponseType[] =>
  settings.responseTypes.filter(
    (type) =>
      redirectUris.length > 0 &&
      responseTypesOf(realm).includes(type) &&
      (!type.startsWith("code") || grantTypes.includes("authorization_code")),
  );

/** The grant types that the engine needs to know; the token endpoint handles all of them. */
const ENGINE_GRANTS: ReadonlySet<string> = new Set([
  "authorization_code",
  "refresh_token",
  "urn:ietf:params:oauth:grant-type:device_code",
  "urn:openid:params:grant-type:ciba",
]);

/** The engine's names for methods that it does not know. It authenticates no client: see requests/client-authentication.ts. */
const ENGINE_METHODS: Partial<Record<ClientSnapshot["settings"]["authMethod"], string>> = {
  client_secret: "client_secret_basic",
  federated_jwt: "private_key_jwt",
};

/** Returns the client's keys. The engine requires keys of a client without a secret, but a client with `federated_jwt` may have none. */
const keysOf = ({ settings: { jwks, jwksUri, authMethod } }: ClientSnapshot) =>
  jwks ?? (authMethod === "federated_jwt" && jwksUri === null ? { keys: [] } : null);

function metadataFor(client: ClientSnapshot, parts: RealmParts): ClientMetadata {
  const { settings } = client;
  const { tokens } = parts.realm.settings;
  const hasNoCredentials = isPublic(client);
  const grantTypes = client.grantTypes.filter((type) => ENGINE_GRANTS.has(type));
  const responseTypes = allowedResponseTypes(client, parts);
  const acrValues = settings.defaultAcrValues.filter((acr) => ACR_VALUES.includes(acr));
  return {
    client_id: client.clientId,
    grant_types: responseTypes.some((type) => type !== "code") ? [...grantTypes, "implicit"] : grantTypes,
    response_types: responseTypes,
    redirect_uris: [...client.redirectUris],
    application_type: settings.applicationType,
    token_endpoint_auth_method: hasNoCredentials ? "none" : (ENGINE_METHODS[settings.authMethod] ?? settings.authMethod),
    id_token_signed_response_alg: settings.idTokenAlg ?? tokens.signingAlg,
    scope: scopesFor(parts.scopesOfRealm, client).join(" "),
    require_auth_time: settings.requireAuthTime,
    require_pushed_authorization_requests: settings.requirePar,
    require_signed_request_object: settings.requireSignedRequestObject,
    authorization_details_types: [...tokens.authorizationDetailsTypes],
    ...(acrValues.length > 0 && { default_acr_values: acrValues }),
    ...given({
      client_secret: hasNoCredentials ? null : client.secrets[0]?.value,
      client_name: client.name,
      default_max_age: settings.defaultMaxAge,
      jwks: keysOf(client) as ClientMetadata["jwks"] | null,
      jwks_uri: settings.jwksUri,
      tls_client_auth_subject_dn: settings.tlsClientAuthSubjectDn,
      tls_client_auth_san_dns: settings.tlsClientAuthSanDns,
      tls_client_auth_san_uri: settings.tlsClientAuthSanUri,
      tls_client_auth_san_ip: settings.tlsClientAuthSanIp,
      tls_client_auth_san_email: settings.tlsClientAuthSanEmail,
      backchannel_token_delivery_mode: grantTypes.includes("urn:openid:params:grant-type:ciba")
        ? (settings.cibaDeliveryMode ?? "poll")
        : null,
      // The engine requires an endpoint and never calls it: see protocols/decoupled/ciba-ping.ts.
      backchannel_client_notification_endpoint: settings.cibaDeliveryMode === "ping" ? "https://client.invalid/" : null,
    }),
  } as ClientMetadata;
}
