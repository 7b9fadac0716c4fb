import { LRUCache } from "lru-cache";
import {
  type ClientSnapshot,
  type Clients,
  type ClientTools,
  completeSettings,
  createClient,
  findClientByClientId,
  isWithinServer,
  originsOf,
  profileErrors,
  settingsOf,
} from "../../../applications/clients/index.ts";
import { clock, DAY, MINUTE, SECOND } from "../../../kernel/clock.ts";
import { newId } from "../../../kernel/ids.ts";
import type { Ctx } from "../../../platform/context.ts";
import { lockRealm } from "../../../platform/db/index.ts";
import { type Outbound, OutboundError } from "../../../platform/outbound/index.ts";
import type { RateLimiter } from "../../../platform/rate-limit/index.ts";
import type { RealmSnapshots } from "../../../tenancy/realms/index.ts";
import type { ClientProfile } from "../../../tenancy/settings/index.ts";
import { isAllowedHost } from "../provisioning/policy.ts";
import type { Provisioning } from "../provisioning/provisioning.schema.ts";
import type { ProvisioningSnapshots } from "../provisioning/provisioning.service.ts";
import { type ClientDocument, DocumentRefused, isDocumentAddress, readDocument } from "./document.ts";

/** The clients of all realms, with those that are known by their documents alone. */
export interface DocumentClients extends Clients {
  /** A user allows it something: from now on it is a client of the realm, which administrators see and can disable. */
  store(ctx: Ctx, client: ClientSnapshot): Promise<void>;
}

export interface DocumentClientParts {
  readonly clients: Clients;
  readonly realms: RealmSnapshots;
  readonly provisioning: ProvisioningSnapshots;
  readonly outbound: Outbound;
  readonly limiter: RateLimiter;
  readonly tools: ClientTools;
  readonly log: { info(details: object, message: string): void };
}

export function createDocumentClients(parts: DocumentClientParts): DocumentClients {
  const { clients, realms, provisioning, tools, log } = parts;
  const documents = createDocuments(parts);
  // One snapshot for as long as what it was made from is the same: others keep what they derive from it beside it.
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
      const document = await documents.get(realm, clientId);
      if (!document) return null;
      const least = (await realms.get(realm))?.settings.oidc.leastProfile ?? "none";
      const key = `${realm}\u0000${clientId}`;
      const known = made.get(key);
      const isSame = known?.base === base && known.document === document && known.policy === policy && known.least === least;
      if (known && isSame) return known.snapshot;
      const described = isAllowed(policy, document) ? snapshotOf(realm, clientId, base, document, least) : null;
      const reasons = described ? profileErrors({ ...described, ...described.settings }) : [];
      if (reasons.length > 0)
        log.info({ realm, clientId, reasons: reasons.map(({ message }) => message) }, "a client's metadata document was refused");
      const snapshot = reasons.length === 0 ? described : null;
      made.set(key, { base, document, policy, least, snapshot });
      return snapshot;
    },

    async store(ctx, { clientId, name }) {
      if (!isDocumentAddress(clientId) || (await findClientByClientId(ctx.tx, ctx.realm, clientId))) return;
      // Of two users who are the first at once, one brings it in.
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

/** An administrator who writes redirect URIs into such a client takes it over: then its document counts no more. */
const livesByDocument = ({ publicClient, redirectUris, grantTypes }: ClientSnapshot): boolean =>
  publicClient && redirectUris.length === 0 && grantTypes.includes("authorization_code");

const isAllowed = ({ allowedRedirectHosts }: Provisioning["registration"], { redirectUris }: ClientDocument): boolean =>
  redirectUris.every((uri) => isAllowedHost(allowedRedirectHosts, uri));

/** What the document says, within what administrators decided of the client since it was first allowed something. */
function snapshotOf(
  realm: string,
  clientId: string,
  base: ClientSnapshot | null,
  document: ClientDocument,
  profile: ClientProfile,
): ClientSnapshot {
  const { name, redirectUris, grantTypes, applicationType, logoUri, clientUri, policyUri, tosUri } = document;
  const { host } = new URL(clientId);
  return {
    realmId: realm,
    id: base?.id ?? newId(),
    clientId,
    // A client can give itself any name: only its host is verified.
    name: name === null ? host : `${name} (${host})`,
    enabled: true,
    publicClient: true,
    secrets: [],
    grantTypes,
    redirectUris,
    webOrigins: originsOf({ webOrigins: ["+"], redirectUris }),
    scopes: base?.scopes ?? [],
    allowedResources: base?.allowedResources ?? [],
    mappers: base?.mappers ?? [],
    settings: {
      ...(base?.settings ?? settingsOf(completeSettings({ profile, claimsInIdToken: false }, true))),
      ...{ applicationType, logoUri, clientUri, policyUri, tosUri },
      ...{ authMethod: "none", requirePkce: true, consentRequired: true, firstParty: false },
    },
  };
}

interface Kept {
  readonly document: ClientDocument;
  /** Read again from then on. */
  until: number;
  /** Used until then where its server cannot be reached. */
  readonly staleUntil: number;
}

const MAX_DOCUMENTS = 1_000;
const STALE = DAY;
/** How soon an address that gave nothing is asked again. */
const RETRY = 30 * SECOND;
/** An anonymous request can make this server fetch: limited per host and per realm. */
const PER_HOST = { limit: 20, windowMs: MINUTE };
const PER_REALM = { limit: 120, windowMs: MINUTE };

function createDocuments({ outbound, limiter, log }: DocumentClientParts) {
  const kept = new LRUCache<string, Kept>({ max: MAX_DOCUMENTS });
  // Apart, so that addresses that lead nowhere do not push out those that do.
  const refused = new LRUCache<string, number>({ max: MAX_DOCUMENTS });
  const reading = new Map<string, Promise<ClientDocument | null>>();

  const mayAsk = async (realm: string, address: string): Promise<boolean> => {
    const verdicts = [
      await limiter.take(`client-document:${new URL(address).hostname}`, PER_HOST),
      await limiter.take(`client-documents-of:${realm}`, PER_REALM),
    ];
    return verdicts.every(({ allowed }) => allowed);
  };

  const read = async (realm: string, address: string): Promise<ClientDocument | null> => {
    const old = kept.get(address);
    const stale = () => (old && old.staleUntil > clock.now() ? old.document : null);
    if (!(await mayAsk(realm, address))) return stale();
    try {
      const { document, until } = await readDocument(outbound, address);
      kept.set(address, { document, until, staleUntil: until + STALE });
      return document;
    } catch (error) {
      if (!(error instanceof DocumentRefused) && !(error instanceof OutboundError)) throw error;
      log.info({ realm, clientId: address, reason: error.message }, "a client's metadata document was refused");
      // Its server is down: what it said last holds for a while. If it says something else, that counts at once.
      const document = error instanceof OutboundError && error.reason !== "blocked_address" ? stale() : null;
      if (document && old) old.until = clock.now() + RETRY;
      else {
        kept.delete(address);
        refused.set(address, clock.now() + RETRY);
      }
      return document;
    }
  };

  return {
    async get(realm: string, address: string): Promise<ClientDocument | null> {
      const now = clock.now();
      const known = kept.get(address);
      if (known && known.until > now) return known.document;
      if ((refused.get(address) ?? 0) > now) return null;
      const asked = reading.get(address) ?? read(realm, address).finally(() => reading.delete(address));
      reading.set(address, asked);
      return asked;
    },
  };
}
