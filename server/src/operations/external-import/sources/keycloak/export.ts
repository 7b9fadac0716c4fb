import { type Permission, permissions } from "../../../../tenancy/permissions/index.ts";
import { listOf, recordOf, recordsOf, textOf, textsOf, unique, type Values } from "../../reading.ts";
import type { Report } from "../../report.ts";
import type { SourceInput } from "../../source.ts";
import { builtInAssignments, builtInScopes } from "./built-in-scopes.ts";

/** Clients that ship with every Keycloak realm. This server has counterparts of its own. */
const BUILT_IN_CLIENTS = ["account", "account-console", "admin-cli", "broker", "realm-management", "security-admin-console"];
const ADMIN_CLIENT = "realm-management";
const OIDC = "openid-connect";

/** Returns a text, unless it is the key of a text of Keycloak's own pages, like `${role_offline-access}`. */
export const ownText = (value: unknown): string | undefined => {
  const text = textOf(value);
  return text === undefined || /^\$\{.*\}$/.test(text) ? undefined : text;
};

const permissionRoleName = (permission: Permission) => `${ADMIN_CLIENT} ${permission}`;

/** Roles as our documents name them. */
export interface RoleNames {
  readonly roles: string[];
  readonly clientRoles: { clientId: string; name: string }[];
}

/** A realm of an export, with the state that the translations of its parts share. */
export class KeycloakRealm {
  readonly value: Values;
  readonly report: Report;
  readonly input: SourceInput;
  /** Aliases of translated flows by their ids, by which overrides of clients name them. */
  readonly flows = new Map<string, string>();
  /** Scopes that are carried over, by name. */
  readonly scopes = new Map<string, Values>();
  /** Permissions whose role of `realm-management` is given to a user, a group or another role. */
  readonly permissionsInUse = new Set<Permission>();
  /** Our paths of groups, by Keycloak's. */
  readonly groupPaths = new Map<string, string>();
  /** Our names of realm roles that the file gives to somebody without listing them: Keycloak makes such roles as well. */
  readonly namedRoles = new Set<string>();
  readonly #namedClientRoles = new Map<string, Set<string>>();
  readonly #oidcClients: ReadonlySet<string>;
  readonly #clientRoles: Values;
  readonly #ownNames = new Map<string, string>();
  readonly #roles = new Map<string | null, ReadonlyMap<unknown, Values>>();

  constructor(value: Values, report: Report, input: SourceInput) {
    this.value = value;
    this.report = report;
    this.input = input;
    this.#clientRoles = recordOf(recordOf(value.roles).client);
    this.#oidcClients = new Set(this.clients(OIDC).map(({ clientId }) => String(clientId)));
    for (const permission of permissions) input.naming.reserve(permissionRoleName(permission));
    const scopes = this.hasScopes ? recordsOf(value.clientScopes) : builtInScopes;
    for (const scope of scopes) this.scopes.set(String(scope.name), scope);
  }

  get name(): string {
    return textOf(this.value.realm) ?? "";
  }

  /** Tells whether the file lists scopes. Otherwise, Keycloak gives the realm those that it ships with. */
  get hasScopes(): boolean {
    return Array.isArray(this.value.clientScopes);
  }

  /** Returns the names of a client's scopes. A client that names none has those of the realm. */
  scopesOf({ defaultClientScopes, optionalClientScopes }: Values): {
    readonly defaults: readonly string[];
    readonly optional: readonly string[];
  } {
    if (Array.isArray(defaultClientScopes) || Array.isArray(optionalClientScopes))
      return { defaults: textsOf(defaultClientScopes), optional: textsOf(optionalClientScopes) };
    if (!this.hasScopes) return builtInAssignments;
    return { defaults: textsOf(this.value.defaultDefaultClientScopes), optional: textsOf(this.value.defaultOptionalClientScopes) };
  }

  /** Returns the clients of one protocol, without those that ship with Keycloak. */
  clients(protocol: string): Values[] {
    return recordsOf(this.value.clients).filter(
      ({ clientId, protocol: own }) =>
        textOf(clientId) !== undefined && !BUILT_IN_CLIENTS.includes(String(clientId)) && (textOf(own) ?? OIDC) === protocol,
    );
  }

  rolesOfClient(clientId: string): Values[] {
    return recordsOf(this.#clientRoles[clientId]);
  }

  /** Returns the name of the role here that gives the permission of a role of `realm-management`, or null if there is no such permission. */
  permissionRole(name: string): string | null {
    const permission = permissions.find((one) => one === name);
    if (!permission) return null;
    this.permissionsInUse.add(permission);
    return permissionRoleName(permission);
  }

  /** Translates the roles that a user, group or composite names: realm roles in a list, client roles by client id. */
  roleNames(realmRoles: unknown, clientRoles: unknown, pattern: string, at: string, mayGivePermissions = true): RoleNames {
    const roles = textsOf(realmRoles).map((name) => {
      const ours = this.roleName(name);
      if (!this.#rolesOf(null).has(name)) this.namedRoles.add(ours);
      return ours;
    });
    const ofClients: { clientId: string; name: string }[] = [];
    for (const [clientId, names] of Object.entries(recordOf(clientRoles)))
      for (const name of textsOf(names)) {
        const path = `${pattern}.${BUILT_IN_CLIENTS.includes(clientId) ? clientId : "*"}`;
        if (clientId === ADMIN_CLIENT) {
          const role = mayGivePermissions ? this.permissionRole(name) : null;
          if (role !== null) roles.push(role);
          else this.report.unmapped(path, "No permission of the admin API is the same", at);
        } else if (BUILT_IN_CLIENTS.includes(clientId)) this.report.ignored(path);
        else if (this.#oidcClients.has(clientId)) {
          const ours = this.roleName(name, clientId);
          ofClients.push({ clientId, name: ours });
          if (!this.#rolesOf(clientId).has(name)) this.namedRolesOf(clientId).add(ours);
        } else this.report.unmapped(path, "Only OpenID Connect clients have roles here", at);
      }
    return { roles: unique(roles), clientRoles: ofClients };
  }

  /** Returns the roles of a client that the file gives to somebody without listing them. */
  namedRolesOf(clientId: string): Set<string> {
    const names = this.#namedClientRoles.get(clientId) ?? new Set();
    this.#namedClientRoles.set(clientId, names);
    return names;
  }

  /** Returns the name that a role of the realm or of a client has here. */
  roleName(name: string, clientId: string | null = null): string {
    const key = `${clientId ?? ""}\u0000${name}`;
    const known = this.#ownNames.get(key);
    if (known !== undefined) return known;
    const gives = this.permissionsOf(clientId === null ? [name] : [], clientId === null ? {} : { [clientId]: [name] });
    const isTheirs = (one: string) => this.#rolesOf(clientId).has(one);
    const ours = this.input.naming.role(name, { gives, isTheirs }, clientId);
    this.#ownNames.set(key, ours);
    return ours;
  }

  /** Returns the permissions that these roles give by the file itself: by roles of `realm-management`, including composites. */
  permissionsOf(realmRoles: unknown, clientRoles: unknown): Set<Permission> {
    const found = new Set<Permission>();
    const seen = new Set<string>();
    const visit = (ofRealm: unknown, ofClients: unknown) => {
      for (const name of textsOf(ofRealm)) enter(name, null);
      for (const [clientId, names] of Object.entries(recordOf(ofClients))) for (const name of textsOf(names)) enter(name, clientId);
    };
    const enter = (name: string, clientId: string | null) => {
      const key = `${clientId ?? ""}\u0000${name}`;
      if (seen.has(key)) return;
      seen.add(key);
      const permission = clientId === ADMIN_CLIENT ? permissions.find((one) => one === name) : undefined;
      if (permission) found.add(permission);
      // The default role gives no permissions here.
      if (BUILT_IN_CLIENTS.includes(clientId ?? "") || (clientId === null && name === this.defaultRole)) return;
      const { composites } = this.#rolesOf(clientId).get(name) ?? {};
      visit(recordOf(composites).realm, recordOf(composites).client);
    };
    visit(realmRoles, clientRoles);
    return found;
  }

  /** Returns the roles by name: a file may have thousands, and each user, group and role looks up those that it names. */
  #rolesOf(clientId: string | null): ReadonlyMap<unknown, Values> {
    const known = this.#roles.get(clientId);
    if (known) return known;
    const roles = clientId === null ? recordsOf(recordOf(this.value.roles).realm) : this.rolesOfClient(clientId);
    // If two roles have the same name, the first counts.
    const byName = new Map(roles.toReversed().map((role) => [role.name, role]));
    this.#roles.set(clientId, byName);
    return byName;
  }

  /** The name of the role that every new user gets in Keycloak. */
  get defaultRole(): string {
    return textOf(recordOf(this.value.defaultRole).name) ?? `default-roles-${this.name.toLowerCase()}`;
  }

  /** Tells whether the name is that of a realm role (`role`), not of a client role (`client.role`). */
  isRealmRole(name: string): boolean {
    return listOf(recordOf(this.value.roles).realm).some((role) => recordOf(role).name === name);
  }
}
