import { LRUCache } from "lru-cache";
import { issuerOf } from "../../tokens/index.ts";
import type { Issuer, Issuers } from "../issuer.ts";
import type { OidcParts, RealmParts } from "../parts.ts";
import type { RealmEngine } from "./provider.ts";

const load = () => import("./on-demand.ts");

/** The same as the cache of realms. */
const MAX_ISSUERS = 2_000;
/** An engine takes about 100 KiB; creating one takes a millisecond or two. */
const MAX_ENGINES = 1_000;

/** One issuer per realm in use, replaced when the realm's configuration changes. */
export function createIssuers(parts: OidcParts): Issuers {
  const kept = new LRUCache<string, Issuer>({ max: MAX_ISSUERS });
  const engines = new LRUCache<Issuer, RealmEngine>({ max: MAX_ENGINES });
  const engineOf = async (issuer: Issuer): Promise<RealmEngine> => {
    const { makeEngine } = await load();
    const known = engines.get(issuer) ?? makeEngine(issuer.parts);
    engines.set(issuer, known);
    return known;
  };
  const peek = (name: string): Issuer | undefined => {
    const known = kept.get(name);
    // Snapshots are immutable: the same snapshots make the same issuer.
    const isCurrent =
      known?.parts.realm === parts.realms.peek(name) &&
      known?.parts.scopesOfRealm === parts.scopes.peek(name) &&
      known?.parts.offered === parts.provisioning.peek(name)?.offered;
    return isCurrent ? known : undefined;
  };
  return {
    peek,
    async get(name) {
      const [realm, scopesOfRealm, policy] = await Promise.all([
        parts.realms.get(name),
        parts.scopes.get(name),
        parts.provisioning.get(name),
      ]);
      if (!realm || !scopesOfRealm) return null;
      const { offered = {} } = policy ?? {};
      const known = kept.get(name);
      if (known && known.parts.realm === realm && known.parts.scopesOfRealm === scopesOfRealm && known.parts.offered === offered)
        return known;
      const made = makeIssuer({ ...parts, realm, scopesOfRealm, offered, issuer: issuerOf(parts.baseUrl, name) }, engineOf);
      if (known) engines.delete(known);
      kept.set(name, made);
      return made;
    },
  };
}

/** The engine is created on first use: metadata, tokens and userinfo do not need it. */
function makeIssuer(parts: RealmParts, engineOf: (issuer: Issuer) => Promise<RealmEngine>): Issuer {
  const issuer: Issuer = {
    parts,
    engine: {
      async handle(request, reply, path, search) {
        const { handOver } = await load();
        await handOver(parts, await engineOf(issuer), request, reply, path, search);
      },
      findInteraction: async (uid) => (await engineOf(issuer)).provider.Interaction.find(uid),
      answer: async (answered) => (await load()).storeAnswer(answered),
      async resume(request, reply, uid, answered) {
        const { answerInteraction, handOver, setResumed } = await load();
        if (answered) setResumed(request.raw, answerInteraction(answered), answered.session);
        await handOver(parts, await engineOf(issuer), request, reply, `/authorize/${encodeURIComponent(uid)}`, "");
      },
    },
  };
  return issuer;
}
