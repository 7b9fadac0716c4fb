import { LRUCache } from "lru-cache";
import { createLdapPool, type LdapPool } from "../../platform/ldap/index.ts";
import type { Outbound } from "../../platform/outbound/index.ts";
import type { OpenProvider } from "../providers/provider.ts";
import { connectionOf } from "./test-call.ts";

/** The connections of this node: one pool for each directory, replaced when its configuration changes. */
export interface DirectoryPools {
  of(provider: OpenProvider): LdapPool;
  close(): void;
}

const MAX_POOLS = 500;

export function createDirectoryPools(outbound: Outbound): DirectoryPools {
  const pools = new LRUCache<string, { version: number; pool: LdapPool }>({
    max: MAX_POOLS,
    dispose: ({ pool }) => pool.close(),
  });
  return {
    of(provider) {
      const key = `${provider.realm}/${provider.providerId}`;
      const kept = pools.get(key);
      if (kept && kept.version === provider.version) return kept.pool;
      const pool = createLdapPool({
        outbound,
        ...connectionOf(provider),
        bindDn: String(provider.config.bindDn),
        bindPassword: provider.secrets.bindPassword ?? "",
      });
      pools.set(key, { version: provider.version, pool });
      return pool;
    },
    close: () => pools.clear(),
  };
}
