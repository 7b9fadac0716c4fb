import Type from "typebox";
import { ClaimMapperInput, createClaim, removeClaim, saveClaim, searchClaims } from "../../../applications/claims/index.ts";
import {
  addClaim,
  CreateClientScope,
  createScope,
  dropClaim,
  removeScope,
  saveScope,
  searchScopes,
} from "../../../applications/client-scopes/index.ts";
import { invalidFields } from "../../../kernel/errors.ts";
import { loginKey } from "../../../kernel/text.ts";
import { bodyOf, everyRow, type Section, without } from "../section.ts";

const permission = { read: ["manage-authorization", "view-clients"], write: "manage-authorization" } as const;

export const mapperDefaults = { value: null, type: "string", multivalued: false, targets: ["idToken", "userinfo"] };

export const claims: Section = {
  name: "claims",
  tables: ["claim_mappers"],
  permission,
  schema: ClaimMapperInput,
  keyOf: (item) => String(item.name),
  ignoresCase: true,
  defaults: () => mapperDefaults,
  read: async (ctx) =>
    (await everyRow(ctx, searchClaims)).map((row) => ({
      key: row.name,
      id: row.claimId,
      item: mapperItem(without(row, "claimId", "realmId", "scopes")),
    })),
  create: async (ctx, _tools, item) => (await createClaim(ctx, bodyOf(item))).claimId,
  async update(ctx, _tools, { id }, item) {
    await saveClaim(ctx, id, bodyOf(item));
  },
  remove: (ctx, _tools, { id }) => removeClaim(ctx, id),
};

/** Returns the members of a mapper's record that a request may contain. */
export const mapperItem = (record: object) => Object.fromEntries(Object.entries(record).filter(([member]) => mapperMembers.has(member)));
const mapperMembers = new Set([...Object.keys(ClaimMapperInput.properties), "samlName", "samlNameFormat", "samlFriendlyName"]);

const scopeSchema = Type.Object(
  {
    ...CreateClientScope.properties,
    claims: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 255 }), {
        maxItems: 1000,
        description: "Names of the claim mappers that it includes",
      }),
    ),
  },
  { additionalProperties: false },
);

export const clientScopes: Section = {
  name: "clientScopes",
  tables: ["client_scopes", "client_scope_claims"],
  permission,
  schema: scopeSchema,
  keyOf: (item) => String(item.name),
  parts: ["claims"],
  defaults: () => ({ description: null, consentText: null, assignment: "OPTIONAL" }),
  read: async (ctx) =>
    (await everyRow(ctx, searchScopes)).map(({ scopeId, name, description, consentText, assignment, claims: attached, builtIn }) => ({
      key: name,
      id: scopeId,
      item: { name, description, consentText, assignment, claims: attached.map((claim) => claim.name).sort() },
      isBuiltIn: builtIn,
    })),
  create: async (ctx, _tools, item) => (await createScope(ctx, bodyOf(without(item, "claims")))).scopeId,
  async update(ctx, _tools, { id }, item) {
    await saveScope(ctx, id, bodyOf(without(item, "claims")));
  },
  async link(ctx, _tools, id, item, current) {
    const wanted = item.claims as string[] | undefined;
    if (!wanted) return;
    const known = new Map((await everyRow(ctx, searchClaims)).map((claim) => [loginKey(claim.name), claim.claimId]));
    const missing = wanted.filter((name) => !known.has(loginKey(name)));
    if (missing.length > 0)
      throw invalidFields(
        missing.map((name) => ({ field: "claims", code: "unknown_claim", message: `There is no claim mapper “${name}” in this realm` })),
      );
    const now = new Set(((current?.item.claims ?? []) as string[]).map(loginKey));
    const then = new Set(wanted.map(loginKey));
    for (const name of now) if (!then.has(name) && known.has(name)) await dropClaim(ctx, id, known.get(name)!);
    for (const name of then) if (!now.has(name)) await addClaim(ctx, id, known.get(name)!);
  },
  remove: (ctx, _tools, { id }) => removeScope(ctx, id),
};
