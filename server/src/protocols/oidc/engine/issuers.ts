import { LRUCache } from "lru-cache";
import { createLru } from "../../../kernel/lru.ts";
import { issuerOf } from "../../tokens/index.ts";
import type { Issuer, Issuers } from "../issuer.ts";
import type { OidcParts, RealmParts } from "../parts.ts";
import type { RealmEngine } from "./provider.ts";

const load = () => import("./on-demand.ts");

/** The number of issuers that are kept, as large as the cache of realms. */
const MAX_ISSUERS = 2_000;
/** The number of engines that are kept. An engine takes about 100 KiB; creating one takes a millisecond or two. */
const MAX_ENGINES = 1_000;

/** Keeps one issuer per realm in use, and replaces it when the realm's configuration changes. */
export function createIssuers(parts: OidcParts): Issuers {
  const kept = createLru<Issuer>(MAX_ISSUERS);
  const engines = new LRUCache<Issuer, RealmEngine>({ max: MAX_ENGINES });
  const engineOf = async (issuer: Issuer): Promise<RealmEngine> => {
    const { makeEngine } = await load();
    const known = engines.get(issuer) ?? makeEngine(issuer.parts);
    engines.set(issuer, known);
    return known;
  };
  /** Returns the kept issuer if it has the same snapshots. Snapshots are immutable, so the same snapshots make the same issuer. */
  const current = (name: string, realm: unknown, scopesOfRealm: unknown, offered: unknown): Issuer | undefined => {
    const known = kept.get(name);
    const { parts: of } = known ?? {};
    return of?.realm === realm && of?.scopesOfRealm === scopesOfRealm && of?.offered === offered ? known : undefined;
  };
  return {
    peek: (name) => current(name, parts.realms.peek(name), parts.scopes.peek(name), parts.provisioning.peek(name)?.offered),
    async get(name) {
      const [realm, scopesOfRealm, policy] = await Promise.all([
        parts.realms.get(name),
        parts.scopes.get(name),
        parts.provisioning.get(name),
      ]);
      if (!realm || !scopesOfRealm) return null;
      const { offered = {} } = policy ?? {};
      const same = current(name, realm, scopesOfRealm, offered);
      if (same) return same;
      const known = kept.get(name);
      const made = makeIssuer({ ...parts, realm, scopesOfRealm, offered, issuer: issuerOf(parts.baseUrl, name) }, engineOf);
      if (known) engines.delete(known);
      kept.set(name, made);
      return made;
    },
  };
}

/** Makes an issuer that creates its engine on first use: metadata, tokens and userinfo do not need the engine. */
function makeIssuer(parts: RealmParts, engineOf: (issuer: Issuer) => Promise<RealmEngine>): Issuer {
  const issuer: Issuer = {
    parts,
    engine: {
      async handle(request, reply, path, search) {
        const { handOver } = await load();
        await handOver(parts, await engineOf(issuer), request, reply, path, search);
      },
      findInteraction: async (uid) => (await engineOf(issuer)).provider.Interaction.find(uid),
      answer: async (answered) => void (await (await load()).answerInteraction(answered).persist()),
      async resume(request, reply, uid, answered) {
        const { answerInteraction, handOver, setResumed } = await load();
        if (answered) setResumed(request.raw, answerInteraction(answered), answered.session);
        await handOver(parts, await engineOf(issuer), request, reply, `/authorize/${encodeURIComponent(uid)}`, "");
      },
    },
  };
  return issuer;
}
