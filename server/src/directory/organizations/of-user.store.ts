import { isId } from "../../kernel/ids.ts";
import { loginKey } from "../../kernel/text.ts";
import { type Db, startsWith } from "../../platform/db/index.ts";
import { listOrder, type Page, pageOf } from "../../platform/paging/index.ts";
import type { MemberQuery, UserOrganization } from "./schema.ts";

const order = listOrder(
  "name",
  { name: "organizations.name_key", joinedAt: "organization_members.joined_at" },
  "organizations.organization_id",
);

export async function listOrganizationsOfUser(
  db: Db,
  realm: string,
  userId: string,
  { role, ...query }: MemberQuery,
): Promise<Page<UserOrganization>> {
  const { search = "" } = query;
  const memberships = db
    .selectFrom("organization_members")
    .innerJoin("organizations", (join) =>
      join
        .onRef("organizations.realm_id", "=", "organization_members.realm_id")
        .onRef("organizations.organization_id", "=", "organization_members.organization_id"),
    )
    .select([
      "organizations.organization_id",
      "organizations.name",
      "organizations.alias",
      "organizations.display_name",
      "organizations.enabled",
      "organization_members.role",
      "organization_members.joined_at",
    ])
    .where("organization_members.realm_id", "=", realm)
    .where("organization_members.user_id", "=", userId)
    .$if(role !== undefined, (q) => q.where("organization_members.role", "=", role!))
    .$if(search !== "", (q) =>
      q.where((eb) => {
        const named = eb.or([
          startsWith("organizations.name_key", loginKey(search)),
          startsWith("organizations.alias", search.toLowerCase()),
        ]);
        return isId(search) ? eb.or([named, eb("organizations.organization_id", "=", search)]) : named;
      }),
    );
  const page = await pageOf(db, memberships, order, query);
  return {
    ...page,
    rows: page.rows.map((row) => ({
      organizationId: row.organization_id,
      name: row.name,
      alias: row.alias,
      displayName: row.display_name,
      enabled: row.enabled,
      role: row.role,
      joinedAt: row.joined_at,
    })),
  };
}
