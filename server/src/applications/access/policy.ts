import Type from "typebox";
import { isInGroup } from "../../directory/groups/index.ts";
import { clock } from "../../kernel/clock.ts";
import type { Db } from "../../platform/db/index.ts";
import { member } from "../../platform/http/index.ts";
import { isAgentActive } from "./live.store.ts";
import { holdsRole } from "./store.ts";

const names = (maxLength: number, description: string) =>
  member(Type.Array(Type.String({ minLength: 1, maxLength }), { maxItems: 100, uniqueItems: true, description }), []);

/** The members as the admin API describes them, in clients and in the options of SAML clients. */
export const accessMembers = {
  allowedRoles: names(
    512,
    "The roles whose holders may use it, besides the users in `allowedGroups`. If both are empty, every user may. A realm role is written by its name, a client role as in `shop/manager`; ids are accepted, too. A deleted role is shown by its id and matches no user",
  ),
  allowedGroups: names(
    2048,
    "The groups whose users, including those of groups below, may use it, besides the holders of `allowedRoles`. A group is written by its path, as in `/Sales/Europe`; ids are accepted, too",
  ),
};

/** The ids of roles and groups, as they are stored and as snapshots have them. */
export interface ApplicationAccess {
  readonly allowedRoles: readonly string[];
  readonly allowedGroups: readonly string[];
}

export const isRestricted = ({ allowedRoles, allowedGroups }: ApplicationAccess): boolean =>
  allowedRoles.length > 0 || allowedGroups.length > 0;

/** The reason why a user may not use an application now. Each protocol maps all of them to its errors, in one table. */
export type AccessRefusal =
  /** The user has none of `allowedRoles` and is in none of `allowedGroups`. */
  | "no-access"
  /** The agent of the client is suspended, expired or deleted. */
  | "agent-inactive"
  /** The directory that the user comes from has removed or disabled the entry. */
  | "user-removed"
  /** That directory does not answer, and its configuration refuses users meanwhile. */
  | "directory-unreachable"
  /** Only the user may decide this, and an administrator is impersonating them. */
  | "impersonated";

export interface AccessRequest {
  readonly realm: string;
  /** Null if the client acts in its own name. */
  readonly userId: string | null;
  /** The settings of a client, or the options of a SAML client. */
  readonly application: ApplicationAccess;
  /** The agent of the client. Left out if the statement that found the user has read it (`liveClient`). */
  readonly agent?: { readonly id: string } | null;
  /** Left out if the session was judged for the request, which includes the directory. */
  readonly entryChecks?:
    | { standing(realm: string, userId: string, use: "renewal"): Promise<"stands" | "gone" | "unreachable"> }
    | undefined;
  /** Set for a decision that only the user may take: the administrator who impersonates them, or null. */
  readonly impersonator?: unknown;
}

const ENTRY_REFUSALS = { stands: null, gone: "user-removed", unreachable: "directory-unreachable" } as const;

/**
 * Decides whether this user may use the application through this client now. Returns null if so. Users who are disabled or locked have
 * neither session nor grant, so every statement that finds the user excludes them. An unrestricted client without an agent costs no query.
 */
export async function refusalOf(db: Db, request: AccessRequest): Promise<AccessRefusal | null> {
  const { realm, userId, application, agent = null, entryChecks, impersonator = null } = request;
  if (userId !== null && isRestricted(application) && !(await isAllowed(db, realm, userId, application))) return "no-access";
  if (agent && !(await isAgentActive(db, realm, agent.id, clock.now()))) return "agent-inactive";
  const standing = entryChecks && userId !== null ? await entryChecks.standing(realm, userId, "renewal") : "stands";
  return ENTRY_REFUSALS[standing] ?? (impersonator === null ? null : "impersonated");
}

/**
 * Tells whether the user has one of the roles or groups. The id of a deleted one matches no user, so a restriction whose last role was
 * deleted excludes all users.
 */
async function isAllowed(db: Db, realm: string, userId: string, { allowedRoles, allowedGroups }: ApplicationAccess): Promise<boolean> {
  if (allowedRoles.length > 0 && (await holdsRole(db, realm, userId, allowedRoles))) return true;
  return allowedGroups.length > 0 && isInGroup(db, realm, userId, allowedGroups);
}
