import { afterAll, beforeAll, expect, test } from "vitest";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import { filter, GROUP, type ScimClient, scimClient } from "../../testing/scim.ts";

let iam: SharedHarness;
beforeAll(async () => {
  iam = await sharedHarness();
});
afterAll(() => iam?.close());

const names = ({ Resources }: { Resources: { userName: string }[] }) => Resources.map(({ userName }) => userName);
const find = async (scim: ScimClient, text: string) => names((await scim.get(`/Users?${filter(text)}`)).body).sort();

test("filters find exactly the users that fulfil them, also those without the attribute", async () => {
  const realm = await iam.realm();
  const scim = await scimClient(iam, realm);
  const users = [
    { userName: "a", title: "T1" },
    { userName: "b", title: "T1", active: false },
    { userName: "c", active: false },
    {
      userName: "d",
      title: "100%_\\\"';",
      emails: [
        { value: "d@example.com", type: "work" },
        { value: "d@home.example", type: "home" },
      ],
    },
  ];
  for (const user of users) expect((await scim.post("/Users", user)).status).toBe(201);
  const all = ["a", "admin", "b", "c", "d"];
  for (const [text, expected] of [
    ['not (active eq true or title eq "T1")', ["c"]],
    ['title ne "T1"', ["admin", "c", "d"]],
    ['not (title eq "T1")', ["admin", "c", "d"]],
    ["active eq True", ["a", "admin", "d"]],
    ['active eq "False"', ["b", "c"]],
    ["not (title pr)", ["admin", "c"]],
    ["title eq null", ["admin", "c"]],
    ['userName sw "A"', ["a", "admin"]],
    ['userName co "dmi"', ["admin"]],
    ['userName ew "MIN"', ["admin"]],
    ['title co "%_\\\\\\"\';"', ["d"]],
    ['title co "0%2"', []],
    ['userName eq "%"', []],
    ['emails eq "D@HOME.example"', ["d"]],
    ['emails.type eq "home"', ["d"]],
    ['emails[type eq "home" and value ew "home.example"]', ["d"]],
    ['emails[type eq "work"].value eq "d@home.example"', []],
    ['(userName eq "a" or userName eq "b") and active eq false', ["b"]],
    ['userName eq "a" or title eq "t1" and active eq false', ["a", "b"]],
    ['meta.lastModified gt "2020-01-01T00:00:00Z"', all],
    ['meta.created lt "2020-01-01T00:00:00Z"', []],
    ['urn:ietf:params:scim:schemas:core:2.0:User:userName eq "c"', ["c"]],
    ['id eq "nonsense"', []],
    ["'; drop table users", null],
  ] as const) {
    if (expected === null) expect((await scim.get(`/Users?${filter(text)}`)).body.scimType).toBe("invalidFilter");
    else expect(await find(scim, text), text).toEqual(expected);
  }
});

test("filters that cannot be read, or are too large, are refused at once", async () => {
  const scim = await scimClient(iam, await iam.realm());
  const many = Array.from({ length: 65 }, () => 'title eq "x"').join(" or ");
  for (const text of [
    ...[
      "userName eq",
      'userName eq "x" and',
      'foo eq "x"',
      'userName eq "x',
      "userName",
      "pr",
      "and",
      "()",
      'userName = "x"',
      'password eq "x"',
      'userName eq "a\\u0000b"',
      'emails.value eq "\\ud800"',
    ],
    ...[
      "active gt true",
      'name eq "x"',
      'meta.created gt "soon"',
      'emails[emails[type eq "x"]]',
      'emails[type eq "x"',
      'not userName eq "x"',
    ],
    ...[
      `title eq "${"x".repeat(5000)}"`,
      `${"(".repeat(2000)}title pr${")".repeat(2000)}`,
      `${"not (".repeat(20)}title pr${")".repeat(20)}`,
    ],
    ...[many, '"'.repeat(4000), '\\"'.repeat(2000)],
  ]) {
    const answer = await scim.get(`/Users?${filter(text)}`);
    expect(answer.body, text.slice(0, 80)).toMatchObject({ status: "400", scimType: "invalidFilter" });
  }
  const bomb = new Array(12).fill('(title eq "a" or title eq "b")').join(" and ");
  expect((await scim.get(`/Users?${filter(bomb)}`)).status).toBe(200);
  expect((await scim.get("/Users?filter=a&filter=b")).status).toBe(400);
});

test("pages by index and by cursor visit every user once, with the exact total", async () => {
  const scim = await scimClient(iam, await iam.realm());
  const Operations = Array.from({ length: 24 }, (_, n) => ({
    method: "POST",
    path: "/Users",
    data: { userName: `u${String(n).padStart(2, "0")}`, title: n % 2 ? "odd" : "even" },
  }));
  await scim.post("/Bulk", { Operations });
  for (const [query, total] of [
    ["", 25],
    [filter('userName sw "u"'), 24],
    [filter('title eq "odd"'), 12],
    ["sortBy=userName&sortOrder=descending", 25],
    [`sortBy=meta.lastModified&${filter('title eq "EVEN"')}`, 12],
  ] as const) {
    const byIndex: string[] = [];
    for (let startIndex = 1; startIndex <= total; startIndex += 7) {
      const { body } = await scim.get(`/Users?${query}&count=7&startIndex=${startIndex}`);
      expect(body).toMatchObject({ totalResults: total, startIndex, itemsPerPage: body.Resources.length });
      byIndex.push(...names(body));
    }
    const byCursor: string[] = [];
    for (let cursor: string | undefined = ""; cursor !== undefined; ) {
      const { body }: { body: { Resources: { userName: string }[]; nextCursor?: string; totalResults: number } } = await scim.get(
        `/Users?${query}&count=7&cursor=${cursor}`,
      );
      expect(body.totalResults).toBe(total);
      byCursor.push(...names(body));
      cursor = body.nextCursor;
    }
    expect(new Set(byIndex).size, query).toBe(total);
    expect(byIndex, query).toHaveLength(total);
    expect(byCursor, query).toEqual(byIndex);
    // This index does not follow the page before it, so no remembered page helps.
    expect(names((await scim.get(`/Users?${query}&count=3&startIndex=5`)).body)).toEqual(byIndex.slice(4, 7));
    if (query.includes("descending")) expect(byIndex).toEqual([...byIndex].sort().reverse());
  }
  expect((await scim.get("/Users?count=0")).body).toMatchObject({ totalResults: 25, itemsPerPage: 0, Resources: [] });
  expect((await scim.get("/Users?count=-1")).body).toMatchObject({ totalResults: 25, Resources: [] });
  expect((await scim.get("/Users?startIndex=0&count=1")).body).toMatchObject({ startIndex: 1, itemsPerPage: 1 });
  for (const text of ["0x1", "1e1", "%201", "1.0", "%2B1"])
    expect((await scim.get(`/Users?count=${text}`)).body, text).toMatchObject({ status: "400", detail: "count must be a whole number" });
  expect((await scim.get("/Users?startIndex=99")).body).toMatchObject({ totalResults: 25, Resources: [] });
  expect((await scim.get("/Users?count=many")).body.scimType).toBe("invalidCount");
  expect((await scim.get("/Users?cursor=bm9uc2Vuc2U")).body.scimType).toBe("invalidCursor");
  const { nextCursor } = (await scim.get("/Users?cursor=&count=2")).body;
  expect((await scim.get(`/Users?cursor=${nextCursor}&${filter("title pr")}`)).body.scimType).toBe("invalidCursor");
  const searched = await scim.post("/Users/.search", {
    filter: 'title eq "odd"',
    startIndex: 2,
    count: 1,
    attributes: ["title"],
    sortBy: "userName",
  });
  expect(searched.body).toMatchObject({ totalResults: 12, Resources: [{ title: "odd" }] });
  expect(Object.keys(searched.body.Resources[0]).sort()).toEqual(["id", "schemas", "title"]);
});

test("a search of all types tells them apart by what every resource of a type has (RFC 7644 §3.4.2.1)", async () => {
  const scim = await scimClient(iam, await iam.realm());
  expect((await scim.post("/Groups", { displayName: "team" })).status).toBe(201);
  const search = async (text: string) => {
    const { status, text: answer, body } = await scim.post("/.search", { filter: text });
    expect(status, answer).toBe(200);
    return body.Resources.map((each: { userName?: string; displayName?: string }) => each.userName ?? each.displayName);
  };
  for (const [text, found] of [
    ['meta.resourceType eq "User"', ["admin"]],
    ['meta.resourceType eq "group"', []],
    ['meta.resourceType eq "Group"', ["team"]],
    ['(meta.resourceType eq "User") or (meta.resourceType eq "Group")', ["admin", "team"]],
    ['not (meta.resourceType eq "User")', ["team"]],
    ['meta.resourceType eq "Group" and displayName sw "x"', []],
    [`schemas eq "${GROUP}"`, ["team"]],
    ["meta.resourceType pr", ["admin", "team"]],
  ] as const)
    expect(await search(text), text).toEqual(found);
  expect((await scim.get(`/Groups?${filter('meta.resourceType eq "Group"')}`)).body.totalResults).toBe(1);
});
