import { sql } from "kysely";
import { type ClaimSource, many } from "./source.ts";

interface SubjectOrganization {
  readonly id: string;
  readonly alias: string;
  readonly name: string;
  readonly role: string;
}

/** Reads the enabled organizations of which the user is a member. */
export const organizations: ClaimSource<readonly SubjectOrganization[]> = {
  choices: ["alias", "id", "name", "details"],
  ofUser: sql`(
    select json_agg(json_build_object('id', o.organization_id, 'alias', o.alias, 'name', o.name, 'role', m.role) order by o.alias)
    from organization_members m join organizations o on o.realm_id = m.realm_id and o.organization_id = m.organization_id and o.enabled
    where m.realm_id = u.realm_id and m.user_id = u.user_id)`,
  find(form, { read }) {
    const memberships = read ?? [];
    if (form === "details") return { whole: memberships };
    return many(memberships.map((each) => (form === "id" ? each.id : form === "name" ? each.name : each.alias)));
  },
};
