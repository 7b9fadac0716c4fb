import { sql } from "kysely";
import { createRecordCache, type LoadedRecord, type RealmChanges } from "../../platform/cache/index.ts";
import { type Db, prepared } from "../../platform/db/index.ts";
import { modelOf, type PermissionModel, type PolicyModel } from "./evaluator/index.ts";
import type { ResourceServer, ResourceServers } from "./resource-server.ts";
import { type AuthzSettingsState, defaultSettings } from "./schema.ts";

export const createResourceServers = ({ db, changes }: { readonly db: Db; readonly changes: RealmChanges }): ResourceServers =>
  createRecordCache(changes, (realm, client) => loadServer(db, realm, client));

interface Row {
  readonly client_id: string;
  readonly config_version: number;
  readonly settings: Omit<AuthzSettingsState, "enabled">;
  readonly scopes: string[];
  readonly policies: PolicyModel[] | null;
  readonly permissions: PermissionModel[] | null;
}

const load = prepared(
  ({ realm, client }: { realm: string; client: string }) => sql<Row>`
    select c.client_id, s.settings, coalesce((select v.version from realm_versions v where v.realm_id = s.realm_id), 0)::bigint as config_version,
      array(select o.name from authz_scopes o where o.realm_id = s.realm_id and o.client_id = s.client_id) as scopes,
      (select json_agg(json_build_object('name', p.name, 'type', p.type, 'logic', p.logic, 'decisionStrategy', p.decision_strategy,
          'config', p.config, 'entries', coalesce((select json_agg(json_build_object('id', coalesce(e.entry_id::text, ''), 'required', e.required,
              'extendChildren', e.extend_children, 'isLost', coalesce(r.role_id, g.group_id, n.id, cs.scope_id, u.user_id) is null) order by e.position)
            from authz_policy_entries e
            left join roles r on e.kind = 'role' and r.realm_id = e.realm_id and r.role_id = e.entry_id
            left join groups g on e.kind = 'group' and g.realm_id = e.realm_id and g.group_id = e.entry_id
            left join clients n on e.kind = 'client' and n.realm_id = e.realm_id and n.id = e.entry_id
            left join client_scopes cs on e.kind = 'client-scope' and cs.realm_id = e.realm_id and cs.scope_id = e.entry_id
            left join users u on e.kind = 'user' and u.realm_id = e.realm_id and u.user_id = e.entry_id
            where e.realm_id = p.realm_id and e.client_id = p.client_id and e.policy = p.name), '[]')))
        from authz_policies p where p.realm_id = s.realm_id and p.client_id = s.client_id) as policies,
      (select json_agg(json_build_object('name', p.name, 'type', p.type, 'decisionStrategy', p.decision_strategy, 'resourceType', p.resource_type,
          'isGeneral', p.is_general, 'scopes', p.scopes, 'policies', p.policies, 'resources',
          array(select x.resource_id::text from authz_permission_resources x
            where x.realm_id = p.realm_id and x.client_id = p.client_id and x.permission = p.name)) order by p.name)
        from authz_permissions p where p.realm_id = s.realm_id and p.client_id = s.client_id) as permissions
    from authz_settings s join clients c on c.realm_id = s.realm_id and c.id = s.client_id
    where s.realm_id = ${realm} and s.client_id = ${client} and s.enabled`,
);

/** Loads a resource server in one statement, so that all of its data is from the same moment. */
async function loadServer(db: Db, realm: string, client: string): Promise<LoadedRecord<ResourceServer> | null> {
  const [row] = await load(db, { realm, client });
  if (!row) return null;
  const settings = { ...defaultSettings, ...row.settings, enabled: true };
  const policies = row.policies ?? [];
  const permissions = row.permissions ?? [];
  const record = {
    ...{ realm, client, clientId: row.client_id, settings, policies, permissions },
    scopes: new Set(row.scopes),
    model: modelOf(settings, policies, permissions),
  };
  return { record, configVersion: row.config_version };
}
