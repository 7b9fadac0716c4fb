import { sql } from "kysely";
import { isId } from "../../kernel/ids.ts";
import { likePrefix, loginKey } from "../../kernel/text.ts";
import { type Db, nameStartsWith, type Tables } from "../../platform/db/index.ts";
import { type ListQuery, listOrder, type Page, pageOf } from "../../platform/paging/index.ts";

export interface ListedApplication {
  readonly protocol: "oidc" | "saml";
  readonly id: string;
}

const order = listOrder("name", { name: "name_key", createdAt: "created_at" }, "id");

/**
 * Lists both kinds in one order. Each of the two queries has an index for every order, which Postgres merges, so that a page costs the same
 * however many applications there are.
 */
export async function listApplications(db: Db, realm: string, query: ListQuery): Promise<Page<ListedApplication>> {
  const { search = "" } = query;
  const begins = likePrefix(loginKey(search));
  const named = nameStartsWith("name", search);
  const clients = db
    .selectFrom("clients")
    .select([sql<"oidc" | "saml">`'oidc'`.as("protocol"), "id", "client_key as name_key", "created_at"])
    .where("realm_id", "=", realm)
    .$if(search !== "", (q) =>
      q.where((eb) => eb.or([eb("client_key", "like", begins), named, ...(isId(search) ? [eb("id", "=", search)] : [])])),
    );
  const samlClients = db
    .selectFrom("saml_clients")
    .select([sql<"oidc" | "saml">`'saml'`.as("protocol"), "id", "application_key as name_key", "created_at"])
    .where("realm_id", "=", realm)
    .$if(search !== "", (q) =>
      // The search finds an application by its whole name, or by the entityID alone.
      q.where((eb) =>
        eb.or([eb("application_key", "like", begins), eb("application_key", "like", likePrefix(loginKey(`${realm}|${search}`))), named]),
      ),
    );
  const both = db.selectFrom(clients.unionAll(samlClients).as("applications")).select(["protocol", "id"]);
  return pageOf(db, both as unknown as Parameters<typeof pageOf<keyof Tables, ListedApplication>>[1], order, query);
}
