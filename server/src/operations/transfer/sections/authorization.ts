import {
  AuthorizationItem,
  addAuthorization,
  applyAuthorization,
  authorizationDefaults,
  readAuthorizations,
  removeAuthorization,
} from "../../../applications/authorization/index.ts";
import { bodyOf, type Section } from "../section.ts";

/** The document leaves out resources that users own and share: they are personal. */
export const authorization: Section = {
  name: "authorization",
  tables: [
    "authz_settings",
    "authz_scopes",
    "authz_resources",
    "authz_policies",
    "authz_policy_entries",
    "authz_permissions",
    "authz_permission_resources",
  ],
  permission: { read: "view-clients", write: "manage-clients" },
  schema: AuthorizationItem,
  keyOf: (item) => String(item.clientId),
  defaults: () => authorizationDefaults,
  read: async (ctx) => (await readAuthorizations(ctx)).map(({ id, item }) => ({ key: item.clientId, id, item })),
  create: (ctx, _tools, item) => addAuthorization(ctx, bodyOf(item)),
  // Policies name groups, which are created later.
  link: (ctx, _tools, id, item) => applyAuthorization(ctx, id, bodyOf(item)),
  remove: (ctx, _tools, { id }) => removeAuthorization(ctx, id),
};
