import { sql } from "kysely";
import type { Db } from "../../platform/db/index.ts";

/** A use of a user attribute that identifies a user or gives access. */
export interface AttributeUse {
  readonly attribute: string;
  /** The words that follow “is used by”. */
  readonly by: string;
}

interface Row {
  readonly kind: keyof typeof BY;
  readonly owner: string;
  /** The attribute. For a policy, the path or claim that it reads. */
  readonly attribute: string;
  /** The claim that a mapper writes. */
  readonly claim: string | null;
}

const BY = {
  subject: () => "the subject claim of the realm",
  "client-subject": (client: string) => `the subject claim of the client ${client}`,
  "name-id": (entityId: string) => `the NameID of the SAML client ${entityId}`,
  claim: (name: string) => `the claim mapper ${name}`,
  "saml-attribute": (name: string) => `the attribute mapper ${name} of a SAML client`,
  path: (policy: string) => `the authorization policy ${policy}`,
  regex: (policy: string) => `the authorization policy ${policy}`,
  flow: (alias: string) => `a condition of the flow ${alias}`,
} as const;

/** Tells whether applications decide by this claim or SAML attribute who may do what. */
export const isGranting = (claim: string): boolean => GRANTING.test(claim);
const GRANTING = /(^|[./:#])(roles?|groups?|memberof|entitlements?|permissions?|scopes?)$/i;

const USER = "user.attributes.";
const TOKEN = "token.";

/** Finds every such use in the realm, in all tables. */
export async function findAttributeUses(db: Db, realm: string): Promise<AttributeUse[]> {
  const { rows } = await sql<Row>`
    select 'subject' as kind, '' as owner, subject_claim ->> 'attribute' as attribute, null as claim
      from realm_oidc where realm_id = ${realm} and subject_claim ->> 'strategy' = 'attribute'
    union all
    select 'client-subject', client_id, settings -> 'subjectClaim' ->> 'attribute', null
      from clients where realm_id = ${realm} and settings -> 'subjectClaim' ->> 'strategy' = 'attribute'
    union all
    select 'name-id', entity_id, source.attribute, null from saml_clients
      cross join lateral (values (settings -> 'options' ->> 'nameIdSource'), (settings -> 'options' ->> 'persistentNameIdSource')) source(attribute)
      where realm_id = ${realm} and source.attribute is not null
    union all
    select 'claim', name, mapper ->> 'value', mapper ->> 'claim' from claim_mappers
      where realm_id = ${realm} and mapper ->> 'source' = 'attribute'
    union all
    select 'saml-attribute', name, mapper ->> 'value', mapper ->> 'samlName' from saml_client_mappers
      where realm_id = ${realm} and mapper ->> 'source' = 'attribute'
    union all
    select 'path', name, read.path, null from authz_policies
      cross join lateral (values (config ->> 'path'), (config ->> 'valuePath')) read(path)
      where realm_id = ${realm} and type = 'attribute' and read.path is not null
    union all
    select 'regex', name, config ->> 'targetClaim', null from authz_policies
      where realm_id = ${realm} and type = 'regex' and coalesce(config ->> 'targetContextAttributes', 'false') <> 'true'
    union all
    select 'flow', alias, step ->> 'name', null from flows
      cross join lateral jsonb_path_query(steps, '$.** ? (@.authenticator == "condition-attribute").config') step
      where realm_id = ${realm}`.execute(db);
  const mappers = rows.filter(({ kind }) => kind === "claim");
  const uses = rows.flatMap((row) => attributesRead(row, mappers).map((attribute) => ({ attribute, by: BY[row.kind](row.owner) })));
  return [...new Map(uses.map((use) => [`${use.attribute} ${use.by}`, use])).values()];
}

/** Returns the attributes that a row reads, directly or through a claim that a mapper makes of one. */
function attributesRead({ kind, attribute, claim }: Row, mappers: readonly Row[]): string[] {
  const mapped = (path: string) =>
    mappers.filter((mapper) => path === mapper.claim || path.startsWith(`${mapper.claim}.`)).map((mapper) => mapper.attribute);
  switch (kind) {
    case "claim":
    case "saml-attribute":
      return isGranting(claim ?? "") ? [attribute] : [];
    case "path":
      if (attribute.startsWith(USER)) return [attribute.slice(USER.length)];
      return attribute.startsWith(TOKEN) ? mapped(attribute.slice(TOKEN.length)) : [];
    case "regex":
      return [attribute, attribute.replace(/^attributes\./, ""), ...mapped(attribute)];
    default:
      return [attribute];
  }
}
