import { cut, loginKey } from "../kernel/text.ts";
import type { Db, Tx } from "./db/index.ts";

/**
 * The kinds of actors in the audit trail. An `administrator` belongs to `master` and acts in another realm. An `anonymous` actor is not authenticated: its name
 * is only what was typed or presented.
 */
export const actorKinds = ["user", "administrator", "client", "agent", "scim-token", "system", "anonymous"] as const;
export type ActorKind = (typeof actorKinds)[number];

/** The party that acts as the user: an administrator, or the actor of a token (RFC 8693 §4.1), whose `sub` is both its id and its name. */
export interface NamedImpersonator {
  /** Null if the session does not say. */
  readonly id: string | null;
  /** The name in the audit trail. */
  readonly name: string;
}

/** The caller. Administrators have the permissions that their session or token gives them for this request. */
export interface Actor {
  readonly kind: ActorKind;
  /** The user's id, or a word such as `system` where no user acts. */
  readonly id: string;
  /** The name in the audit trail: the username, or `master/<name>` across realms. */
  readonly name: string;
  readonly realm: string;
  readonly permissions: ReadonlySet<string>;
  readonly sessionId: string | null;
  readonly impersonator: NamedImpersonator | null;
  /** A client that acts in its own name (RFC 6749 §4.4). */
  readonly isClient?: boolean;
  /**
   * The error that refuses an act which needs recent authentication, if the actor's session has none. Undefined if the session is recent, or if the actor has
   * no session by which it could authenticate again: a client, a job, a command.
   */
  readonly notRecent?: () => Error;
}

/** Requires recent authentication: proven within the last minutes, with the second factor if the user has one. signin/sessions has the rule. */
export function assertRecent({ notRecent }: Actor): void {
  if (notRecent) throw notRecent();
}

/** The actor of an event. Without `kind` it is a user, or, without `id`, a name that was typed. */
export interface NamedActor {
  readonly id: string | null;
  readonly name: string;
  readonly kind?: ActorKind;
}

/** The types of audit events, each with its category. The audit trail merges its catalogue into it. */
// biome-ignore lint/suspicious/noEmptyInterface: tenancy/audit/catalogue.ts merges its types into it
export interface AuditEventTypes {}
type AuditKind = {
  readonly [T in keyof AuditEventTypes]: { readonly category: AuditEventTypes[T]; readonly type: T };
}[keyof AuditEventTypes];

/** An audit event of a service; the unit of work adds actor, time and source address. */
export type AuditDraft = AuditKind & {
  readonly resourceType?: string;
  readonly resourceId?: string;
  readonly outcome?: "SUCCESS" | "FAILURE";
  readonly detail?: string | null;
  /** Set if the actor of the event is not the actor of the work (a failed sign-in names what was typed). */
  readonly actor?: NamedActor;
  /** Set if the event belongs to another realm than the work (the deletion of a realm is recorded in `master`). */
  readonly realm?: string;
};

/** Events between features inside one transaction. Features declare theirs by declaration merging. */
// biome-ignore lint/suspicious/noEmptyInterface: features merge their events into it
export interface DomainEvents {}
export type DomainEventName = keyof DomainEvents;

/** The context of reads. */
export interface ReadCtx {
  readonly tx: Db;
  readonly realm: string;
  readonly actor: Actor;
  readonly now: number;
}

/** Everything one unit of work needs. Services take it first; nothing else is ambient. */
export interface Ctx extends ReadCtx {
  readonly tx: Tx;
  /** The ETag the caller saw, if it sent `If-Match`. */
  readonly ifMatch: string | null;
  /** The ETags that a write of a record must not find, if it sent `If-None-Match`. */
  readonly ifNoneMatch: string | null;
  /** Records an event, which is written in this transaction or not at all. */
  audit(draft: AuditDraft): void;
  /** Runs the listeners of core.ts inside this transaction. */
  emit<E extends DomainEventName>(event: E, payload: DomainEvents[E]): Promise<void>;
  /** Notifies every node, on commit, that it must reload this realm's configuration. */
  configChanged(realm?: string): Promise<void>;
  /** Runs after the commit, for state of this process (caches, metrics). */
  afterCommit(effect: () => void): void;
}

/** Records a change of the realm's configuration, which every node reloads. */
export async function recordConfigChange(
  ctx: Ctx,
  type: "ADMIN_CREATE" | "ADMIN_UPDATE" | "ADMIN_DELETE" | "ADMIN_ACTION",
  resourceType: string,
  resourceId: string,
  detail: string | null = null,
): Promise<void> {
  await ctx.configChanged();
  ctx.audit({ category: "ADMIN", type, resourceType, resourceId, detail });
}

export type Listeners = { readonly [E in DomainEventName]: readonly ((ctx: Ctx, payload: DomainEvents[E]) => Promise<void>)[] };

const NOTHING: ReadonlySet<string> = new Set();

type ActorOf = Pick<Actor, "id" | "name" | "realm"> & Partial<Actor>;

/** Creates an actor. Every actor is made here, by default without permissions, session and impersonator. */
export function actorOf(of: ActorOf): Actor {
  const kind: ActorKind = of.isClient ? "client" : "user";
  return Object.assign({ kind, permissions: NOTHING, sessionId: null, impersonator: null }, of);
}

/** The kind of a user as seen from this realm. */
export const kindOfUser = (of: string, realm: string): ActorKind => (of === realm ? "user" : "administrator");

/** The server itself: bootstrap, jobs, commands. It has every permission; the audit trail names it `system`. */
export const systemActor = (realm: string, name = "system"): Actor =>
  actorOf({ kind: "system", id: "system", name, realm, permissions: new Set(["realm-admin"]) });

/** The kind and the id of an actor who did not authenticate. */
export const ANONYMOUS = "anonymous";

/** An actor that is not authenticated: the audit trail shows the login name as typed, up to the length that it keeps. */
export const anonymousActor = (realm: string, name: string = ANONYMOUS): Actor =>
  actorOf({ kind: ANONYMOUS, id: ANONYMOUS, name: cut(name, 255), realm });

const RESERVED = new Set(["system", "anonymous", "cli", "domain verification"]);
const RESERVED_BEGINNING = /^(master\/|erased:|identity provider |initial access token |(ldap|ad|oidc|saml|scim|agent|client):)/;

/** Tells whether the audit trail uses the name for another kind of actor: no user or client may have it. Letter case and Unicode form make no difference. */
export function isReservedName(name: string): boolean {
  const key = loginKey(name);
  return RESERVED.has(key) || RESERVED_BEGINNING.test(key);
}
