import { type Generated, sql } from "kysely";
import { type Db, deleteRows, nameStartsWith, nextVersion, type Tx, translating, updateRows } from "../../platform/db/index.ts";
import { type ListQuery, type Page, pageOf } from "../../platform/paging/index.ts";
import { authzErrors } from "./errors.ts";
import type { PermissionModel } from "./evaluator/index.ts";
import type { AuthzPermission } from "./schema.ts";
import { byName, type Server } from "./store.ts";

declare module "../../platform/db/tables.ts" {
  interface Tables {
    authz_permissions: {
      realm_id: string;
      client_id: string;
      name: string;
      type: PermissionModel["type"];
      decision_strategy: PermissionModel["decisionStrategy"];
      description: string | null;
      resource_type: string | null;
      is_general: boolean;
      scopes: string[];
      policies: string[];
      created_at: number;
      version: Generated<number>;
    };
  }
}

export type PermissionRow = AuthzPermission & { readonly version: number };
/** The state of a permission, in which `resources` are ids. */
export type PermissionState = Omit<AuthzPermission, "createdAt">;

/** Selects the client's own resources by name, and those of users by id. */
const resources = sql<string[]>`array(select case when r.owner_id is null then r.name else r.resource_id::text end
  from authz_permission_resources pr
  join authz_resources r on r.realm_id = pr.realm_id and r.client_id = pr.client_id and r.resource_id = pr.resource_id
  where pr.realm_id = authz_permissions.realm_id and pr.client_id = authz_permissions.client_id and pr.permission = authz_permissions.name
  order by 1)`.as("resources");
const select = [
  "name",
  "type",
  "decision_strategy as decisionStrategy",
  "description",
  "resource_type as resourceType",
  "scopes",
  "policies",
  "created_at as createdAt",
  "version",
] as const;
const of = (db: Db, { realm, client }: Server) =>
  db
    .selectFrom("authz_permissions")
    .select([...select, resources])
    .where("realm_id", "=", realm)
    .where("client_id", "=", client);

export function listPermissions(db: Db, server: Server, query: ListQuery): Promise<Page<PermissionRow>> {
  const { search } = query;
  return pageOf(
    db,
    of(db, server).$if(Boolean(search), (q) => q.where(nameStartsWith("name", search!))),
    byName,
    query,
  );
}

export const findPermission = async (db: Db, server: Server, name: string): Promise<PermissionRow | null> =>
  (await of(db, server).where("name", "=", name).executeTakeFirst()) ?? null;

const columnsOf = ({ type, decisionStrategy, description, resources: named, resourceType, scopes, policies }: PermissionState) => ({
  decision_strategy: decisionStrategy,
  description,
  resource_type: resourceType,
  is_general: type === "scope" && named.length === 0 && resourceType === null,
  scopes: [...scopes],
  policies: [...policies],
});

export async function insertPermission(tx: Tx, { realm, client }: Server, state: PermissionState, now: number): Promise<void> {
  const row = { realm_id: realm, client_id: client, name: state.name, type: state.type, created_at: now };
  const insert = tx.insertInto("authz_permissions").values({ ...row, ...columnsOf(state) });
  await translating({ authz_permissions_name_taken: authzErrors.permission_taken }, insert.execute());
  await insertResources(tx, { realm, client }, state);
}

export async function updatePermission(tx: Tx, { realm, client }: Server, state: PermissionState): Promise<void> {
  await updateRows(
    tx,
    "authz_permissions",
    { realm_id: realm, client_id: client, name: state.name },
    { ...columnsOf(state), version: nextVersion },
  );
  await sql`delete from authz_permission_resources where realm_id = ${realm} and client_id = ${client} and permission = ${state.name}`.execute(
    tx,
  );
  await insertResources(tx, { realm, client }, state);
}

async function insertResources(tx: Tx, { realm, client }: Server, { name, resources: ids }: PermissionState): Promise<void> {
  if (ids.length > 0)
    await sql`insert into authz_permission_resources (realm_id, client_id, permission, resource_id)
      select ${realm}, ${client}, ${name}, r.id from unnest(${[...ids]}::uuid[]) r(id)`.execute(tx);
}

export async function deletePermission(tx: Tx, { realm, client }: Server, name: string): Promise<void> {
  await deleteRows(tx, "authz_permissions", { realm_id: realm, client_id: client, name });
}
