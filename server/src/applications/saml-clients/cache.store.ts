import { sql } from "kysely";
import { isCleanText } from "../../kernel/text.ts";
import { createRecordCache, type LoadedRecord, type RealmChanges } from "../../platform/cache/index.ts";
import type { Db } from "../../platform/db/index.ts";
import { AUTHN_CONTEXT, BINDING, type Endpoint, type IndexedEndpoint, verificationKey } from "../../platform/saml/index.ts";
import { type Settings, withDefaults } from "../../tenancy/settings/index.ts";
import { nameFormatUrn } from "./mappers.schema.ts";
import type { StoredOptions, StoredSamlClient } from "./schema.ts";
import { signingCertificatesOf } from "./settings.ts";
import type { SamlClientOptions, SamlClientSnapshot, SamlClients, SamlMapper } from "./snapshot.ts";
import { type SamlClientColumns, type SamlClientRow, toSamlClient } from "./store.ts";

const saml = (name: string) => `urn:oasis:names:tc:SAML:2.0:ac:classes:${name}`;

/** The `acr` of each AuthnContextClassRef, for every service provider: one factor is level 1, two are level 2. */
export const authnContexts: Readonly<Record<string, string>> = {
  [AUTHN_CONTEXT.unspecified]: "1",
  [AUTHN_CONTEXT.password]: "1",
  [AUTHN_CONTEXT.passwordProtectedTransport]: "1",
  [saml("PreviousSession")]: "1",
  "https://refeds.org/profile/sfa": "1",
  [saml("TimeSyncToken")]: "2",
  [saml("MobileTwoFactorContract")]: "2",
  [saml("MobileTwoFactorUnregistered")]: "2",
  "https://refeds.org/profile/mfa": "2",
  "http://schemas.microsoft.com/claims/multipleauthn": "2",
};

/** Creates a cache that keeps the clients in use in memory until the realm's configuration changes. */
export function createSamlClients({ db, changes }: { readonly db: Db; readonly changes: RealmChanges }): SamlClients {
  return createRecordCache(changes, (realm, entityId) => loadSamlClient(db, realm, entityId));
}

type LoadedRow = SamlClientColumns & {
  config_version: number;
  realm_settings: object;
  mappers: { mapper_id: string; name: string; mapper: Omit<SamlMapper, "claimId" | "name"> }[];
};

/** Loads a SAML client in one statement, so that all of its data is from the same moment. */
async function loadSamlClient(db: Db, realm: string, entityId: string): Promise<LoadedRecord<SamlClientSnapshot> | null> {
  // Such a text cannot be stored, so it cannot be found, and Postgres would refuse the query.
  if (!isCleanText(entityId)) return null;
  const { rows } = await sql<LoadedRow>`
    select c.realm_id, c.id, c.entity_id, c.name, c.enabled, c.settings, null as metadata, c.created_at, c.updated_at, c.version,
      s.settings as realm_settings,
      coalesce((select v.version from realm_versions v where v.realm_id = c.realm_id), 0)::bigint as config_version,
      coalesce((select json_agg(json_build_object('mapper_id', m.mapper_id, 'name', m.name, 'mapper', m.mapper) order by m.name_key)
        from saml_client_mappers m where m.realm_id = c.realm_id and m.saml_client_id = c.id), '[]') as mappers
    from saml_clients c join realm_settings s on s.realm_id = c.realm_id
    where c.realm_id = ${realm} and c.entity_id = ${entityId}`.execute(db);
  const [row] = rows;
  if (!row) return null;
  const mappers = row.mappers.map(({ mapper_id, name, mapper }) => ({
    claimId: mapper_id,
    name,
    ...mapper,
    samlNameFormat: nameFormatUrn(mapper.samlNameFormat),
  }));
  const { saml } = withDefaults(realm, row.realm_settings);
  return { record: snapshotOf(toSamlClient(row), saml, mappers), configVersion: row.config_version };
}

function snapshotOf(client: SamlClientRow, defaults: Settings["saml"], mappers: readonly SamlMapper[]): SamlClientSnapshot {
  const { stored } = client;
  const options = resolved(stored.options, defaults);
  return {
    realmId: client.realmId,
    entityId: client.entityId,
    name: client.name,
    enabled: client.enabled,
    assertionConsumerServices: assertionConsumerServices(stored),
    singleLogoutServices: singleLogoutServices(stored, options),
    verificationKeys: signingCertificatesOf(stored).map(verificationKey),
    encryptionCertificate: stored.options.encryptionCertificate,
    defaultAuthnContextClassRef: stored.defaultAuthnContextClassRef,
    options,
    mappers,
  };
}

function resolved(stored: StoredOptions, defaults: Settings["saml"]): SamlClientOptions {
  const signResponse = stored.signResponse ?? defaults.signResponse;
  return {
    ...stored,
    signResponse,
    // The realm may have changed its setting since the client was saved. An assertion is never sent without any signature.
    signAssertion: (stored.signAssertion ?? defaults.signAssertion) || !signResponse,
    wantAuthnRequestsSigned: stored.wantAuthnRequestsSigned ?? defaults.wantAuthnRequestsSigned,
    encryptAssertion: stored.encryptAssertion ?? defaults.encryptAssertion,
    nameIdFormat: stored.nameIdFormat ?? defaults.nameIdFormat,
    backChannelSloEnabled: stored.backChannelSloEnabled ?? defaults.backChannelSloEnabled,
    idpInitiatedSsoEnabled: stored.idpInitiatedSsoEnabled ?? defaults.idpInitiatedSsoEnabled,
    assertionLifetimeSeconds: stored.assertionLifetimeSeconds ?? defaults.assertionLifetimeSeconds,
    clockSkewSeconds: stored.clockSkewSeconds ?? defaults.clockSkewSeconds,
    authnContextMap: { ...authnContexts, ...stored.authnContextMap },
  };
}

/** Lists the services, `assertionConsumerServiceUrl` first. A URL without an index gets the next free one. */
function assertionConsumerServices({ assertionConsumerServiceUrl, options }: StoredSamlClient): IndexedEndpoint[] {
  const urls = [assertionConsumerServiceUrl, ...options.additionalAcsUrls.filter((url) => url !== assertionConsumerServiceUrl)];
  const taken = new Set(options.acsEndpoints.map(({ index }) => index));
  const hasDefault = options.acsEndpoints.some(({ isDefault }) => isDefault);
  let free = 0;
  const nextFree = () => {
    while (taken.has(free)) free++;
    taken.add(free);
    return free;
  };
  return urls.flatMap((location, place): IndexedEndpoint[] => {
    const listed = options.acsEndpoints.filter(({ url }) => url === location);
    const endpoint = { location, responseLocation: null };
    if (listed.length === 0)
      return [{ ...endpoint, binding: BINDING.post, index: nextFree(), isDefault: place === 0 && !hasDefault ? true : null }];
    return listed.map(({ binding, index, isDefault }) => ({ ...endpoint, binding: BINDING[binding], index, isDefault: isDefault || null }));
  });
}

function singleLogoutServices(
  { singleLogoutServiceUrl: url, options }: StoredSamlClient,
  { backChannelSloEnabled }: SamlClientOptions,
): Endpoint[] {
  const listed = options.sloEndpoints.map((endpoint) => ({
    binding: BINDING[endpoint.binding],
    location: endpoint.url,
    responseLocation: endpoint.responseUrl,
  }));
  if (url === null) return listed;
  const at = (binding: string): Endpoint => ({ binding, location: url, responseLocation: null });
  const known = listed.some(({ location }) => location === url) ? listed : [at(BINDING.redirect), ...listed];
  const hasBackChannel = known.some(({ binding }) => binding === BINDING.soap);
  return backChannelSloEnabled && !hasBackChannel ? [...known, at(BINDING.soap)] : known;
}
