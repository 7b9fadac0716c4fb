// The fixed catalogue of admin permissions, the declaration of the permission that a route needs, and the escalation rule.
// operations/admin-gate enforces permissions; directory/roles says who has them.
import { defineErrors } from "../../kernel/errors.ts";
import { type Actor, assertRecent } from "../../platform/context.ts";

export const catalogue = [
  { key: "realm-admin", label: "Full realm administration" },
  { key: "view-users", label: "View users" },
  { key: "manage-users", label: "Manage users" },
  { key: "view-clients", label: "View clients and applications" },
  { key: "manage-clients", label: "Manage clients and applications" },
  { key: "manage-roles", label: "Manage realm and client roles" },
  { key: "manage-identity-providers", label: "Manage identity providers and federation" },
  { key: "manage-authorization", label: "Manage flows, scopes, claims and authorization services" },
  { key: "manage-organizations", label: "Manage organizations and groups" },
  { key: "manage-realm", label: "Manage realm settings, notifications and provisioning" },
  { key: "view-events", label: "View events and sessions" },
  { key: "manage-events", label: "Manage the events configuration and revoke sessions" },
] as const;

export type Permission = (typeof catalogue)[number]["key"];
export const permissions: readonly Permission[] = catalogue.map(({ key }) => key);

/** The permission that a route needs: one, any one of several, or `any` of the catalogue. `realm-admin` always suffices. */
export type Needed = Permission | readonly Permission[] | "any";

declare module "fastify" {
  interface FastifyContextConfig {
    /** The permission of the route. Every admin route declares it, or the server does not start. */
    permission?: Needed;
    /** True if the route affects all realms, so that the permission is required in `master`. */
    masterOnly?: boolean;
    /** True to require a sign-in within the last ten minutes, with the second factor if there is one. signin/sessions has the rule. */
    recentAuthentication?: boolean;
  }
}

const errors = defineErrors("permissions", {
  escalation: [403, "This would grant permissions that you do not hold, or control over a user or client that holds them"],
});

export function allows(held: ReadonlySet<string>, needed: Needed): boolean {
  if (held.has("realm-admin")) return true;
  if (needed === "any") return held.size > 0;
  return typeof needed === "string" ? held.has(needed) : needed.some((permission) => held.has(permission));
}

/**
 * The escalation rule: an actor that gives permissions, or gains control of a principal that has them, must have them. The actor must also have authenticated
 * recently, so that nobody can create another administrator in an unattended browser. Where nothing is given, nothing is required.
 */
export function assertHolds(actor: Actor, given: Iterable<string>): void {
  const isAdmin = actor.permissions.has("realm-admin");
  let gives = false;
  for (const permission of given) {
    if (!isAdmin && !actor.permissions.has(permission)) throw errors.escalation();
    gives = true;
  }
  if (gives) assertRecent(actor);
}
