import { existingGroups } from "../../directory/groups/index.ts";
import { aliasesOfOrganizations } from "../../directory/organizations/index.ts";
import { type FieldError, invalidFields } from "../../kernel/errors.ts";
import type { ReadCtx } from "../../platform/context.ts";
import { type Outbound, receiverFaults } from "../../platform/outbound/index.ts";
import { findAttribute, userType } from "../../protocols/scim/index.ts";
import type { CreateScimTarget, Settings } from "./schema.ts";

type Input = Pick<CreateScimTarget, "url" | keyof Settings>;

/** The defaults of the settings that a target may leave out. */
export const defaults: Omit<Settings, "auth"> = {
  preset: "standard",
  users: { scope: "all", groupIds: [], organizationIds: [], userName: "username", emails: "all" },
  groups: { mode: "none", groupIds: [], removed: "delete" },
  mapping: null,
  matchBy: ["userName"],
  deprovision: { disabled: "deactivate", outOfScope: "deactivate", deleted: "delete" },
  requestsPerSecond: null,
  fullSyncHours: 24,
};

/** Deleted groups and organizations may be named if the target named them before its change, or in an import. */
export interface Before {
  readonly current?: Pick<Settings, "users" | "groups">;
  readonly keepsGone?: boolean | undefined;
}

/** Returns the complete settings of a target. Throws an error that names every wrong member. */
export async function readSettings(ctx: ReadCtx, outbound: Outbound, input: Input, before: Before = {}): Promise<Settings> {
  const settings: Settings = {
    auth: input.auth,
    preset: input.preset ?? defaults.preset,
    users: { ...defaults.users, ...input.users },
    groups: { ...defaults.groups, ...input.groups },
    mapping: input.mapping ?? null,
    matchBy: input.matchBy ?? defaults.matchBy,
    deprovision: { ...defaults.deprovision, ...input.deprovision },
    requestsPerSecond: input.requestsPerSecond ?? null,
    fullSyncHours: input.fullSyncHours ?? defaults.fullSyncHours,
  };
  const faults = [
    ...addressFaults(outbound, "url", input.url),
    ...authFaults(outbound, settings.auth),
    ...Object.keys(settings.mapping ?? {}).flatMap(mappingFaults),
    ...(await unknownFaults(ctx, settings, before)),
  ];
  if (faults.length > 0) throw invalidFields(faults);
  return settings;
}

function addressFaults(outbound: Outbound, field: string, url: string): FieldError[] {
  const faults = receiverFaults(outbound, field, url);
  if (faults.length > 0) return faults;
  const { search, hash } = new URL(url);
  return search === "" && hash === "" ? [] : [{ field, code: "bad_url", message: `${field} must not have a query or fragment` }];
}

const MEMBERS_OF = { bearer: [], basic: ["username"], oauth2: ["tokenUrl", "clientId"] } as const;
const MAY_HAVE: Readonly<Record<string, readonly string[]>> = {
  bearer: [],
  basic: ["username"],
  oauth2: ["tokenUrl", "clientId", "scope"],
};

function authFaults(outbound: Outbound, auth: Settings["auth"]): FieldError[] {
  const faults: FieldError[] = MEMBERS_OF[auth.type]
    .filter((member) => auth[member as keyof typeof auth] === undefined)
    .map((member) => ({ field: `auth.${member}`, code: "required", message: `auth.${member} is required for ${auth.type}` }));
  for (const member of ["username", "tokenUrl", "clientId", "scope"] as const) {
    if (auth[member] === undefined) continue;
    const field = `auth.${member}`;
    if (!MAY_HAVE[auth.type]!.includes(member)) faults.push({ field, code: "unknown", message: `${field} means nothing for ${auth.type}` });
    else if (!/^[\x20-\x7e]*$/.test(auth[member]) || (member === "username" && auth[member].includes(":")))
      faults.push({ field, code: "format", message: `${field} is sent in a header: printable ASCII, and no colon in a username` });
  }
  if (auth.type === "oauth2" && auth.tokenUrl !== undefined) faults.push(...receiverFaults(outbound, "auth.tokenUrl", auth.tokenUrl));
  return faults;
}

/** Attributes that other settings of the target, or the server itself, decide. */
const OWN: ReadonlySet<string> = new Set(["id", "externalId", "schemas", "meta", "userName", "active", "password", "emails", "groups"]);

function mappingFaults(path: string): FieldError[] {
  const field = `mapping.${path}`;
  const found = findAttribute(userType, path);
  const leaf = found && (found.sub ?? found.attribute);
  if (!found || !leaf) return [{ field, code: "unknown_attribute", message: `${field}: SCIM has no attribute ${path}` }];
  const isPlain = !found.attribute.multiValued && (leaf.type === "string" || leaf.type === "reference") && leaf.mutability === "readWrite";
  if (OWN.has(found.attribute.name) || !(isPlain || found.attribute.name === "phoneNumbers"))
    return [{ field, code: "not_mappable", message: `${field} cannot be mapped: only single texts can, and phoneNumbers` }];
  return [];
}

/** Returns the faults of ids that are not of this realm. */
async function unknownFaults(ctx: ReadCtx, { users, groups }: Settings, { current, keepsGone = false }: Before): Promise<FieldError[]> {
  const named = { "users.groupIds": users.groupIds ?? [], "groups.groupIds": groups.groupIds ?? [] };
  const { groupIds: before = [], organizationIds: organizationsBefore = [] } = current?.users ?? {};
  const known = new Set([
    ...[...before, ...(current?.groups.groupIds ?? []), ...organizationsBefore].map((id) => id.toLowerCase()),
    ...(await existingGroups(ctx.tx, ctx.realm, Object.values(named).flat())),
    ...(await aliasesOfOrganizations(ctx.tx, ctx.realm, users.organizationIds ?? [])).keys(),
  ]);
  const unknown = (field: string, kind: "group" | "organization", ids: readonly string[]): FieldError[] =>
    ids
      .filter((id) => !keepsGone && !known.has(id.toLowerCase()))
      .map((id) => ({ field, code: `unknown_${kind}`, message: `${field}: there is no ${kind} ${id} in this realm` }));
  const faults = [
    ...Object.entries(named).flatMap(([field, ids]) => unknown(field, "group", ids)),
    ...unknown("users.organizationIds", "organization", users.organizationIds ?? []),
  ];
  if (users.scope === "groups" && named["users.groupIds"].length === 0)
    faults.push({ field: "users.groupIds", code: "required", message: "users.groupIds names at least one group" });
  if (users.scope === "organizations" && (users.organizationIds ?? []).length === 0)
    faults.push({ field: "users.organizationIds", code: "required", message: "users.organizationIds names at least one organization" });
  return faults;
}
