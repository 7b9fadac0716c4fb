import { directoryUnavailable } from "../../directory/credentials/index.ts";
import type { Vault } from "../../kernel/vault.ts";
import type { Db } from "../../platform/db/index.ts";
import { allOf, equals, idValue, type LdapEntry, LdapError } from "../../platform/ldap/index.ts";
import type { PasswordHasher } from "../../platform/passwords/index.ts";
import type { UnitOfWork } from "../../platform/unit-of-work.ts";
import type { IdentityProviders } from "../providers/provider.ts";
import { type Directory, directoryOf, isDirectory } from "./directory.ts";
import { entryOfUser } from "./entries.store.ts";
import type { DirectoryMetrics } from "./metrics.ts";
import { shownDn } from "./person.ts";
import type { DirectoryPools } from "./pools.ts";
import type { SeenEntries } from "./seen-entries.ts";

export interface DirectoryParts {
  readonly db: Db;
  readonly work: UnitOfWork;
  readonly vault: Vault;
  readonly hasher: PasswordHasher;
  readonly providers: IdentityProviders;
  readonly pools: DirectoryPools;
  readonly metrics: DirectoryMetrics;
  readonly seen: SeenEntries;
  readonly log: { warn(fields: object, message: string): void };
}

/** Returns the enabled directories of a realm. */
export async function enabledDirectories({ providers }: DirectoryParts, realm: string): Promise<readonly Directory[]> {
  const snapshot = await providers.get(realm);
  return [...(snapshot?.byAlias.values() ?? [])].filter((provider) => provider.enabled && isDirectory(provider)).map(directoryOf);
}

/** A user's directory, and the id of their entry there. */
export interface Membership {
  readonly directory: Directory;
  readonly subject: string;
}

/** Returns null for a local user, or if the directory is disabled or gone. */
export async function membershipOf(
  { db }: DirectoryParts,
  directories: readonly Directory[],
  realm: string,
  userId: string,
): Promise<Membership | null> {
  const user = await entryOfUser(db, realm, userId);
  const directory = directories.find(({ source }) => source === user?.source);
  const link = directory && user!.links.find(({ providerId }) => providerId === directory.provider.providerId);
  return directory && link ? { directory, subject: link.subject } : null;
}

/** Finds a user's entry by its id, even after a rename. Returns null if it is gone, or if its id is not unique. */
export async function ownEntry(parts: DirectoryParts, { directory, subject }: Membership): Promise<LdapEntry | null> {
  const own = equals(directory.idAttribute, idValue(subject, directory.idAttribute));
  const found = await search(parts, directory, directory.everyone ? allOf(directory.everyone, own) : own);
  return found.length === 1 ? found[0]! : null;
}

/** Returns at most two entries, which is enough to see that the result is ambiguous. */
export const search = (parts: DirectoryParts, directory: Directory, filter: ReturnType<Directory["filterOf"]>) =>
  asking(parts, directory, () =>
    parts.pools
      .of(directory.provider)
      .service((connection) =>
        connection.search({ base: directory.searchBase, scope: "sub", filter, attributes: directory.attributes, sizeLimit: 2 }),
      ),
  );

/** Responds with 503 if the directory cannot answer. The attempt does not count. */
export async function asking<T>(parts: DirectoryParts, directory: Directory, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof LdapError)) throw error;
    const { realm, alias } = directory.provider;
    const { fault, resultCode, diagnostic } = error;
    parts.log.warn({ realm, alias, fault, resultCode, diagnostic, err: error.cause }, `a directory does not answer: ${error.message}`);
    parts.metrics.signIn(directory.provider.protocol, "unavailable");
    throw directoryUnavailable(error);
  }
}

export function warn(
  { log }: DirectoryParts,
  { provider: { realm, alias } }: Directory,
  message: string,
  entry: LdapEntry | undefined,
  more: object = {},
): void {
  log.warn({ realm, alias, dn: entry && shownDn(entry.dn), ...more }, message);
}
