import { oncePer } from "../../kernel/once.ts";
import { convert } from "./check.ts";
import type { ClaimMapper, ClaimTarget } from "./mapper.ts";
import { claimPath, isFree } from "./path.ts";

/** Whom claims are about, as far as the mappers in question need to know: see `subjectData`. */
export interface ClaimSubject {
  /** Null: a client that acts in its own name. */
  readonly user: SubjectUser | null;
  readonly realmRoles: readonly string[];
  /** By OAuth client id. */
  readonly clientRoles: ReadonlyMap<string, readonly string[]>;
  readonly groups: readonly { readonly name: string; readonly path: string }[];
  readonly organizations: readonly SubjectOrganization[];
}

export interface SubjectUser {
  readonly userId: string;
  readonly username: string;
  readonly email: string | null;
  readonly emailVerified: boolean;
  readonly attributes: Readonly<Record<string, string | readonly string[]>>;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface SubjectOrganization {
  readonly id: string;
  readonly alias: string;
  readonly name: string;
  readonly role: string;
}

/** What the token is made in: the client that asks, and the session if there is one. */
export interface ClaimContext {
  readonly clientId: string | null;
  readonly session?: SubjectSession | null;
}

export interface SubjectSession {
  /** Epoch milliseconds; the claim is in seconds. */
  readonly authTime: number;
  readonly acr: string | null;
  readonly amr: readonly string[];
  readonly sid: string | null;
  readonly impersonator: string | null;
}

/** Ready to be written, or values that still have to become what the mapper asks for. */
type Found = { readonly values: readonly (string | number | boolean)[]; readonly list: boolean } | { readonly whole: object } | null;

/**
 * What `mappers` say of `subject` in `target`. Of two that write the same member the later one counts, so a client's own come after its
 * scopes'. Nothing the protocol says itself is ever among it, whatever stands in the database.
 */
export function claimsOf(
  mappers: readonly ClaimMapper[],
  target: ClaimTarget,
  subject: ClaimSubject,
  context: ClaimContext,
): Record<string, unknown> {
  const claims: Record<string, unknown> = {};
  for (const mapper of mappers) {
    if (!mapper.targets.includes(target)) continue;
    const path = pathOf(mapper);
    const value = path.length === 0 ? undefined : mappedValue(mapper, subject, context);
    if (value !== undefined) write(claims, path, value);
  }
  return claims;
}

/** Empty: nowhere. */
const pathOf = oncePer(({ claim }: ClaimMapper): readonly string[] => {
  const path = claimPath(claim);
  return path && isFree(path) ? path : [];
});

/** What one mapper says of `subject`, wherever it is written; undefined: nothing. */
export function mappedValue(mapper: ClaimMapper, subject: ClaimSubject, context: ClaimContext): unknown {
  const { type, multivalued } = mapper;
  const found = foundBy(mapper, subject, context);
  if (!found) return undefined;
  if ("whole" in found) return found.whole;
  if (!multivalued) return firstOf(found.values, type);
  const values = found.values.map((value) => convert(value, type)).filter((value) => value !== undefined);
  // An empty list of roles or groups becomes an empty claim; an unset attribute becomes none.
  return values.length > 0 || found.list ? values : undefined;
}

function firstOf(values: readonly (string | number | boolean)[], type: ClaimMapper["type"]): unknown {
  for (const value of values) {
    const converted = convert(value, type);
    if (converted !== undefined) return converted;
  }
  return undefined;
}

function foundBy(mapper: ClaimMapper, subject: ClaimSubject, { clientId, session }: ClaimContext): Found {
  const { source, value } = mapper;
  switch (source) {
    case "constant":
      return value === null ? null : { values: [value], list: false };
    case "attribute":
      return attribute(subject.user, value);
    case "property":
      return property(subject.user, value);
    case "roles":
      return roles(subject, value ?? "realm", clientId);
    case "groups":
      return { values: subject.groups.map((group) => (value === "name" ? group.name : group.path)), list: true };
    case "organizations":
      return organizations(subject.organizations, value ?? "alias");
    case "session":
      return session ? sessionMember(session, value ?? "authTime") : null;
  }
}

const one = (value: string | number | boolean | null): Found => (value === null ? null : { values: [value], list: false });

function attribute(user: SubjectUser | null, name: string | null): Found {
  if (!user || name === null || !Object.hasOwn(user.attributes, name)) return null;
  const value = user.attributes[name]!;
  return { values: typeof value === "string" ? [value] : value, list: false };
}

function property(user: SubjectUser | null, name: string | null): Found {
  if (!user) return null;
  switch (name ?? "userId") {
    case "userId":
      return one(user.userId);
    case "username":
      return one(user.username);
    case "email":
      return one(user.email);
    case "emailVerified":
      return user.email === null ? null : one(user.emailVerified); // of no address nothing can be said
    case "name":
      return one(fullName(user));
    case "createdAt":
      return one(Math.floor(user.createdAt / 1000));
    case "updatedAt":
      return one(Math.floor(user.updatedAt / 1000));
    default:
      return null;
  }
}

/** The full name: the user's own value, or built from its parts. */
function fullName({ attributes }: SubjectUser): string | null {
  const text = (name: string) => {
    const value = Object.hasOwn(attributes, name) ? attributes[name]! : "";
    return typeof value === "string" ? value : (value[0] ?? "");
  };
  return text("name") || [text("firstName"), text("lastName")].filter(Boolean).join(" ") || null;
}

function roles({ realmRoles, clientRoles }: ClaimSubject, which: string, clientId: string | null): Found {
  if (which === "realm") return { values: realmRoles, list: true };
  if (which === "clients") return { whole: Object.fromEntries([...clientRoles].map(([client, names]) => [client, { roles: names }])) };
  const of = which === "client" ? clientId : which.slice("client:".length);
  return { values: (of !== null && clientRoles.get(of)) || [], list: true };
}

function organizations(memberships: readonly SubjectOrganization[], member: string): Found {
  if (member === "details") return { whole: memberships };
  return { values: memberships.map((each) => (member === "id" ? each.id : member === "name" ? each.name : each.alias)), list: true };
}

function sessionMember(session: SubjectSession, member: string): Found {
  switch (member) {
    case "authTime":
      return one(Math.floor(session.authTime / 1000));
    case "amr":
      return { values: session.amr, list: true };
    case "acr":
    case "sid":
    case "impersonator":
      return one(session[member]);
    default:
      return null;
  }
}

/** Where another mapper has put a plain value there is no room for members of it: that one stays. */
function write(claims: Record<string, unknown>, path: readonly string[], value: unknown): void {
  let at = claims;
  const last = path.length - 1;
  for (let depth = 0; depth < last; depth++) {
    const segment = path[depth]!;
    const next = Object.hasOwn(at, segment) ? at[segment] : undefined;
    if (next !== undefined && !isBranch(next)) return;
    const branch = next ? { ...(next as Record<string, unknown>) } : {}; // never into an object that a mapper handed over
    at[segment] = branch;
    at = branch;
  }
  at[path[last]!] = value;
}

const isBranch = (value: unknown): boolean => typeof value === "object" && value !== null && !Array.isArray(value);
