import { LRUCache } from "lru-cache";
import {
  type Apis,
  type ClientSnapshot,
  type Clients,
  type ClientTools,
  completeSettings,
  createClient,
  findClientByClientId,
  isWithinServer,
  keyErrors,
  originsOf,
  profileErrors,
  settingsOf,
} from "../../../applications/clients/index.ts";
import { DAY, MINUTE, SECOND } from "../../../kernel/clock.ts";
import { newId } from "../../../kernel/ids.ts";
import type { Ctx } from "../../../platform/context.ts";
import { lockRealm } from "../../../platform/db/index.ts";
import {
  createRemoteDocuments,
  type Outbound,
  OutboundError,
  type ReadDocument,
  type ReadFailure,
} from "../../../platform/outbound/index.ts";
import type { RateLimiter } from "../../../platform/rate-limit/index.ts";
import type { RealmSnapshots } from "../../../tenancy/realms/index.ts";
import type { ClientProfile } from "../../../tenancy/settings/index.ts";
import { isAllowedHost } from "../provisioning/policy.ts";
import type { Provisioning } from "../provisioning/provisioning.schema.ts";
import type { ProvisioningSnapshots } from "../provisioning/provisioning.service.ts";
import { type ClientDocument, DocumentRefused, isDocumentAddress, readDocument } from "./document.ts";

/** The clients of all realms, including those with a metadata document. */
export interface DocumentClients extends Clients {
  /** Stores the client when a user first consents: grants and tokens refer to its row, and administrators can disable it. */
  store(ctx: Ctx, client: ClientSnapshot): Promise<void>;
}

export interface DocumentClientParts {
  readonly clients: Clients;
  readonly apis: Apis;
  readonly realms: RealmSnapshots;
  readonly provisioning: ProvisioningSnapshots;
  readonly outbound: Outbound;
  readonly limiter: RateLimiter;
  readonly tools: ClientTools;
  readonly log: { info(details: object, message: string): void };
}

export function createDocumentClients(parts: DocumentClientParts): DocumentClients {
  const { clients, apis, realms, provisioning, tools, log } = parts;
  const documents = createDocuments(parts);
  // The same input returns the same snapshot, because other caches are keyed by it.
  const made = new LRUCache<
    string,
    { base: ClientSnapshot | null; document: ClientDocument; policy: object; least: ClientProfile; snapshot: ClientSnapshot | null }
  >({
    max: MAX_DOCUMENTS,
  });

  return {
    async get(realm, clientId) {
      if (!clientId.startsWith("https:")) return clients.get(realm, clientId);
      const base = await clients.get(realm, clientId);
      if (isWithinServer(tools.baseUrl, clientId)) return base;
      if (!isDocumentAddress(clientId) || (base && !livesByDocument(base))) return base;
      const { registration: policy } = (await provisioning.get(realm)) ?? {};
      if (!policy?.metadataDocuments) return null;
      if (base?.enabled === false) return base;
      // A token for an API must not be mistaken for one that is meant for a client of the same id.
      if (await apis.get(realm, clientId)) return null;
      const document = await documents.get(realm, clientId);
      if (!document) return null;
      const least = (await realms.get(realm))?.settings.oidc.leastProfile ?? "none";
      const key = `${realm}\u0000${clientId}`;
      const known = made.get(key);
      const isSame = known?.base === base && known.document === document && known.policy === policy && known.least === least;
      if (known && isSame) return known.snapshot;
      const described = isAllowed(policy, document) ? snapshotOf(realm, clientId, base, document, least) : null;
      const reasons = described ? reasonsAgainst(described) : [];
      if (reasons.length > 0)
        log.info({ realm, clientId, reasons: reasons.map(({ message }) => message) }, "a client's metadata document was refused");
      const snapshot = reasons.length === 0 ? described : null;
      made.set(key, { base, document, policy, least, snapshot });
      return snapshot;
    },

    async store(ctx, { clientId, name }) {
      if (!isDocumentAddress(clientId) || (await findClientByClientId(ctx.tx, ctx.realm, clientId))) return;
      // The lock lets concurrent first consents insert the client only once.
      await lockRealm(ctx.tx, ctx.realm);
      if (await findClientByClientId(ctx.tx, ctx.realm, clientId)) return;
      await createClient(ctx, tools, {
        clientId,
        name,
        publicClient: true,
        consentRequired: true,
        requirePkce: true,
        claimsInIdToken: false,
      });
    },
  };
}

const reasonsAgainst = (described: ClientSnapshot) => {
  const client = { ...described, ...described.settings };
  return [...profileErrors(client), ...keyErrors(client)];
};

/** Tells whether the document applies. An administrator who sets redirect URIs takes the client over. */
const livesByDocument = ({ publicClient, redirectUris, grantTypes }: ClientSnapshot): boolean =>
  publicClient && redirectUris.length === 0 && grantTypes.includes("authorization_code");

const isAllowed = ({ allowedRedirectHosts }: Provisioning["registration"], { redirectUris }: ClientDocument): boolean =>
  redirectUris.every((uri) => isAllowedHost(allowedRedirectHosts, uri));

/** Makes the client of a document, within the settings that administrators have made on the stored client. */
function snapshotOf(
  realm: string,
  clientId: string,
  base: ClientSnapshot | null,
  document: ClientDocument,
  profile: ClientProfile,
): ClientSnapshot {
  const { name, redirectUris, grantTypes, applicationType, logoUri, clientUri, policyUri, tosUri } = document;
  const { authMethod, jwks, jwksUri } = document;
  const { host } = new URL(clientId);
  return {
    realmId: realm,
    id: base?.id ?? newId(),
    clientId,
    // Only the host of the client is verified, not its name.
    name: name === null ? host : `${name} (${host})`,
    enabled: true,
    tokenEpoch: base?.tokenEpoch ?? 0,
    publicClient: authMethod === "none",
    secrets: [],
    grantTypes,
    redirectUris,
    webOrigins: originsOf({ webOrigins: ["+"], redirectUris }),
    scopes: base?.scopes ?? [],
    allowedResources: base?.allowedResources ?? [],
    agent: base?.agent ?? null,
    mappers: base?.mappers ?? [],
    settings: {
      ...(base?.settings ?? settingsOf(completeSettings({ profile, claimsInIdToken: false }, true))),
      ...{ applicationType, logoUri, clientUri, policyUri, tosUri },
      ...{ authMethod, jwks, jwksUri, requirePkce: true, consentRequired: true, firstParty: false },
      // An unregistered client cannot be an API.
      ...{ resourceIndicators: [] },
    },
  };
}

const MAX_DOCUMENTS = 1_000;
const STALE = DAY;
/** The time for which a failed fetch is cached. */
const RETRY = 30 * SECOND;
/**
 * Anonymous requests can cause fetches, so they are limited: for a realm, for a host in a realm, and for a host. A single realm takes only a part of what a host
 * gets, so that it does not lock the host's clients out of the others.
 */
const PER_REALM = { limit: 120, windowMs: MINUTE };
const PER_HOST_OF_REALM = { limit: 20, windowMs: MINUTE };
const PER_HOST = { limit: 100, windowMs: MINUTE };

/** The error if no request was made, because there were too many. */
class TooManyRequests extends Error {}

/** Classifies a failure. If the server is down, the last document is used for a while. An invalid document applies immediately. */
function failureOf(error: unknown): ReadFailure {
  if (error instanceof TooManyRequests) return "not-asked";
  if (error instanceof OutboundError) return error.reason === "blocked_address" ? "refused" : "down";
  return error instanceof DocumentRefused ? "refused" : "unexpected";
}

function createDocuments({ outbound, limiter, log }: DocumentClientParts) {
  const documents = createRemoteDocuments<ClientDocument>({ max: MAX_DOCUMENTS, staleMs: STALE, pauseMs: RETRY, failureOf });

  const mayAsk = async (realm: string, address: string): Promise<boolean> => {
    const { hostname } = new URL(address);
    const limits = [
      [`client-documents-of:${realm}`, PER_REALM],
      [`client-document:${realm}:${hostname}`, PER_HOST_OF_REALM],
      [`client-document:${hostname}`, PER_HOST],
    ] as const;
    // A refused request counts no further: with ever new hosts it would push the counts of others out of memory.
    for (const [key, rule] of limits) if (!(await limiter.take(key, rule)).allowed) return false;
    return true;
  };

  const read = async (realm: string, address: string): Promise<ReadDocument<ClientDocument>> => {
    if (!(await mayAsk(realm, address))) throw new TooManyRequests();
    return readDocument(outbound, address).catch((error) => {
      if (failureOf(error) !== "unexpected")
        log.info({ realm, clientId: address, reason: error.message }, "a client's metadata document was refused");
      throw error;
    });
  };

  return {
    get: (realm: string, address: string): Promise<ClientDocument | null> =>
      documents
        .get(address, () => read(realm, address))
        .catch((error) => {
          if (failureOf(error) === "unexpected") throw error;
          return null;
        }),
  };
}
