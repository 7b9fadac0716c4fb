import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { clock, MINUTE } from "../../kernel/clock.ts";
import { newId } from "../../kernel/ids.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import type { AdminClient, RealmUnderTest } from "../../testing/realm.ts";

let iam: SharedHarness;
let realm: RealmUnderTest;
let admin: AdminClient;

interface Person {
  readonly userId: string;
  readonly username: string;
  readonly email: string;
  readonly createdAt: number;
  readonly n: number;
}
/** Enough that one of the groups is beyond what is found first and sorted afterwards. */
const MANY = 1_100;
let people: Person[];
let [most, third, tiny] = [] as string[];
const ORGANIZATION = newId();

beforeAll(async () => {
  iam = await sharedHarness();
  realm = await iam.realm();
  admin = await realm.as("view-users");
  const { db } = iam.core;
  people = Array.from({ length: MANY }, (_, n) => {
    const username = `p${String((n * 617) % MANY).padStart(4, "0")}`;
    return { n, userId: newId(), username, email: `${n % 2 ? "x" : "p"}${n}@example.com`, createdAt: 1_000_000 + Math.floor(n / 3) * 1000 };
  });
  const json = JSON.stringify(people);
  await sql`insert into users (realm_id, user_id, username, username_key, email, email_key, created_at, enabled, locked, source)
    select ${realm.name}, "userId", username, username, email, email, "createdAt", n % 10 <> 0, n % 50 = 7,
      case when n % 7 = 0 then 'ldap:corp' else 'local' end
    from json_to_recordset(${json}::text::json) as p ("userId" uuid, username text, email text, "createdAt" bigint, n int)`.execute(db);
  await sql`insert into login_names (realm_id, key, user_id) select realm_id, k, user_id
    from users, lateral unnest(array[username_key, email_key]) k where realm_id = ${realm.name} and created_at < 10000000`.execute(db);
  const groups: string[] = [];
  for (const name of ["most", "third", "tiny"]) groups.push((await realm.asMaster().post("/groups", { name })).body.groupId);
  [most, third, tiny] = groups;
  const member = async (groupId: string, every: number) =>
    sql`insert into group_members (realm_id, group_id, user_id, joined_at)
      select ${realm.name}, ${groupId}, u, 1 from unnest(${people.filter(({ n }) => n % every === 0).map(({ userId }) => userId)}::uuid[]) u`.execute(
      db,
    );
  await member(most!, 1);
  await member(third!, 3);
  await member(tiny!, 200);
  const { roleId } = (await realm.asMaster().post("/roles", { name: "Reader" })).body;
  await sql`insert into user_roles (realm_id, user_id, role_id) select realm_id, user_id, ${roleId} from group_members
    where realm_id = ${realm.name} and group_id = ${third!}`.execute(db);
  await sql`insert into organizations (realm_id, organization_id, name, name_key, alias, created_at)
    values (${realm.name}, ${ORGANIZATION}, 'Acme', 'acme', 'acme', 1)`.execute(db);
  await sql`insert into organization_members (realm_id, organization_id, user_id, role, joined_at)
    select realm_id, ${ORGANIZATION}, user_id, 'member', 1 from users where realm_id = ${realm.name} and created_at >= 1200000
      and created_at < 1300000`.execute(db);
});
afterAll(() => iam?.close());

/** Follows `Link rel=next` to the end. */
async function walk(query: string): Promise<{ names: string[]; total: string }> {
  const names: string[] = [];
  let total = "";
  for (let url: string | undefined = `/users?${query}`; url; ) {
    const page = await admin.get(url);
    expect(page.status, page.text).toBe(200);
    names.push(...page.body.map(({ username }: Person) => username));
    total = String(page.headers["x-total-count"]);
    url = /<\/admin\/realms\/[^/]+([^>]*)>; rel="next"/.exec(String(page.headers.link))?.[1];
  }
  return { names, total };
}

/** The filter, whom it means among the people of this file, and the order without a sort. */
const cases: [string, (person: Person) => boolean, "username" | "age"][] = [
  ["enabled=false", ({ n }) => n % 10 === 0, "username"],
  ["enabled=true&search=p", ({ n }) => n % 10 !== 0, "username"],
  ["locked=true", ({ n }) => n % 50 === 7, "username"],
  ["locked=false&enabled=false", ({ n }) => n % 10 === 0, "username"],
  ["source=ldap:corp", ({ n }) => n % 7 === 0, "username"],
  ["source=ldap:corp&enabled=false", ({ n }) => n % 70 === 0, "username"],
  ["source=ldap:corp&group=MOST", ({ n }) => n % 7 === 0, "age"],
  ["source=ldap:other", () => false, "username"],
  ["role=reader", ({ n }) => n % 3 === 0, "age"],
  ["role=reader&enabled=false", ({ n }) => n % 30 === 0, "age"],
  ["group=MOST", () => true, "age"],
  ["group=MOST&role=reader&locked=false", ({ n }) => n % 3 === 0 && n % 50 !== 7, "age"],
  ["group=TINY", ({ n }) => n % 200 === 0, "age"],
  ["organization=acme", ({ createdAt }) => createdAt >= 1_200_000 && createdAt < 1_300_000, "age"],
  ["organization=acme&group=TINY", ({ n, createdAt }) => n % 200 === 0 && createdAt >= 1_200_000 && createdAt < 1_300_000, "age"],
  ["role=reader&username=P0751", ({ n }) => n === 3, "age"],
  ["role=reader&username=p0617", () => false, "age"],
  ["organization=acme&group=MOST&email=p200@example.com", () => false, "age"],
  ["group=MOST&email=p200@example.com", ({ n }) => n === 200, "age"],
  ["group=MOST&username=p0751&search=x3", ({ n }) => n === 3, "age"],
  ["createdFrom=1100000&createdTo=1150000", ({ createdAt }) => createdAt >= 1_100_000 && createdAt < 1_150_000, "age"],
  [
    "createdFrom=1970-01-01T00:18:20Z&createdTo=1150000&group=MOST",
    ({ createdAt }) => createdAt >= 1_100_000 && createdAt < 1_150_000,
    "age",
  ],
];

const filled = (query: string) => query.replace("MOST", most!).replace("TINY", tiny!);

describe("filters", () => {
  test.each(cases)("%s: each once, in order, counted, page by page", async (query, meant, order) => {
    const expected = people.filter(meant);
    const inOrder = order === "age" ? expected : [...expected].sort((a, b) => (a.username < b.username ? -1 : 1));
    const { names, total } = await walk(`${filled(query)}&size=97`);
    const own = names.filter((name) => /^p\d/.test(name));
    if (query.includes("search")) expect(new Set(own)).toEqual(new Set(expected.map(({ username }) => username)));
    else expect(own).toEqual(inOrder.map(({ username }) => username));
    expect(new Set(names).size).toBe(names.length);
    expect(total).toBe(String(names.length));
  });

  test.each(cases.filter(([query]) => !query.includes("search")))("%s: also by name, backwards", async (query, meant) => {
    const expected = people.filter(meant).map(({ username }) => username);
    const { names } = await walk(`${filled(query)}&size=97&sort=-username`);
    expect(names.filter((name) => /^p\d/.test(name))).toEqual(expected.sort().reverse());
  });

  test("narrow a search, and a search by id", async () => {
    const [, second] = people as [Person, Person];
    expect((await walk(`search=x&group=${third}`)).names.sort()).toEqual(
      people
        .filter(({ n }) => n % 3 === 0 && n % 2 === 1)
        .map(({ username }) => username)
        .sort(),
    );
    expect((await walk(`search=${second.userId}&group=${most}`)).names).toEqual([second.username]);
    expect((await walk(`search=${second.userId}&group=${third}`)).names).toEqual([]);
  });

  test("a temporary lock counts while it lasts; attempts on an unknown name do not", async () => {
    const [, victim] = people as [Person, Person];
    const now = clock.now();
    const attempt = (subject: string) =>
      sql`insert into login_attempts (realm_id, kind, subject, failures, last_at, locked_until, expires_at)
        values (${realm.name}, 'user:password', ${subject}, 10, ${now}, ${now + 15 * MINUTE}, ${now + 60 * MINUTE})`.execute(iam.core.db);
    await attempt(victim.userId);
    await attempt("b".repeat(36));
    expect((await walk("locked=true&size=1000")).names).toContain(victim.username);
    expect((await walk(`locked=false&search=${victim.username}`)).names).toEqual([]);
    clock.advance(16 * MINUTE);
    expect((await walk("locked=true&size=1000")).names).not.toContain(victim.username);
    expect((await walk(`locked=false&search=${victim.username}`)).names).toEqual([victim.username]);
    clock.reset();
  });

  test("a role, group or organization that the realm does not have matches no user", async () => {
    const other = await iam.realm();
    const foreign = (await other.asMaster().post("/groups", { name: "foreign" })).body.groupId;
    for (const query of ["role=nobody", `role=${newId()}`, `group=${foreign}`, "group=nonsense", "organization=none"])
      expect(await admin.get(`/users?${query}`), query).toMatchObject({ status: 200, body: [], headers: { "x-total-count": "0" } });
    const [role] = (await realm.asMaster().get("/roles?search=Reader")).body;
    expect((await walk(`role=${role.roleId}&size=1000`)).names).toHaveLength(367);
    expect((await walk(`organization=${ORGANIZATION}&size=1000`)).names).toHaveLength(300);
  });

  test.each([
    ["enabled=maybe", "enabled"],
    ["locked=2", "locked"],
    ["role=", "role"],
    [`role=${"x".repeat(256)}`, "role"],
    ["createdFrom=yesterday", "createdFrom"],
    ["createdTo=2030-02-30", "createdTo"],
    ["group=%00", "group"],
    [`group=MOST&cursor=${Buffer.from('["id","x","y"]').toString("base64url")}`, "cursor"],
    ["group=MOST&sort=id", "sort"],
  ])("refuses %s and names it", async (query, field) => {
    expect(await admin.get(`/users?${filled(query)}`)).toMatchObject({ status: 400, body: { errors: [{ field }] } });
  });
});
