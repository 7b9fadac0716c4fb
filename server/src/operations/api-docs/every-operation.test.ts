import { afterAll, beforeAll, expect, test } from "vitest";
import { createDriver, type Driver } from "../../testing/api-driver/driver.ts";
import { type Harness, harness } from "../../testing/harness.ts";
import type { RealmUnderTest } from "../../testing/realm.ts";

/** Another seed sends other requests; each must be answered as declared. */
const SEED = 20_261_116;

let iam: Harness;
let driver: Driver;
beforeAll(async () => {
  iam = await harness();
  driver = createDriver((await iam.browser().get("/v3/api-docs")).body, SEED);
});
afterAll(() => iam?.close());

/** Records are created before they are read and changed; the account API ends with the calls that sign the user out. */
const METHODS = ["post", "get", "put", "patch", "delete"];
const AREAS = [/^\/admin\//, /^\/realms\/\{realm\}\/account\//, /^/];
const rank = ({ path, method }: { path: string; method: string }) =>
  AREAS.findIndex((area) => area.test(path)) * 1_000 + METHODS.indexOf(method) * 100 + path.split("/").length;

/** Operations that ask another server: a directory, a name server, a provider. None answers here. */
const NEEDS_A_PEER = /\/(sync|source|verify|test|import-url)$/;

test("every operation answers random requests as the API's description declares", async () => {
  const [administered, thrownAway, peoples] = [await iam.realm(), await iam.realm(), await iam.realm()];
  const { browser } = administered.asMaster();
  const { username, password } = await peoples.user();
  const client = await newClient(peoples);
  const [person, anonymous] = [iam.browser(), iam.browser()];
  for (const driven of [...driver.operations].sort((a, b) => rank(a) - rank(b))) {
    const isAdmin = driven.path.startsWith("/admin/");
    const realm = driven.path === "/admin/realms/{realm}" ? thrownAway : isAdmin ? administered : peoples;
    if (!isAdmin && !person.cookies.has(`gh_${peoples.name}`)) await person.trySignIn(peoples.name, username, password);
    // The answers of other operations must not crowd out the one client that can use these.
    if (FORMS.includes(driven.name)) for (const [member, value] of Object.entries(client)) driver.knowOnly(member, value);
    if (driven.path.includes("/authz/")) await enableAuthorization(administered);
    const drive = () => driver.drive(driven, { browser: isAdmin ? browser : person, anonymous, realm: realm.name });
    await drive();
    // A form has many members that random values spoil: it gets more tries.
    for (let tries = 0; FORMS.includes(driven.name) && !driver.succeeded.has(driven.name) && tries < 20; tries++) await drive();
  }
  const admin = driver.operations.filter(({ path }) => path.startsWith("/admin/"));
  const succeeded = admin.filter(({ name }) => driver.succeeded.has(name));
  expect(driver.faults).toEqual([]);
  // Requests that are all refused would prove little.
  const alone = admin.filter(({ path }) => !NEEDS_A_PEER.test(path));
  expect(succeeded.length).toBeGreaterThan(0.75 * alone.length);
  expect(FORMS.filter((name) => !driver.succeeded.has(name))).toEqual([]);
}, 600_000);

/** Random settings disable it again. */
async function enableAuthorization(realm: RealmUnderTest): Promise<void> {
  const admin = realm.asMaster();
  const { body: clients } = await admin.get("/clients");
  for (const { id } of clients as { id: string }[]) await admin.put(`/clients/${id}/authz/settings`, { enabled: true });
}

const FORMS = ["token", "introspect", "revoke", "par", "device/authorize"].map((name) => `POST /realms/{realm}/${name}`);

/** A client that may use the endpoints that take forms. */
async function newClient(realm: RealmUnderTest): Promise<{ client_id: string; client_secret: string }> {
  const grantTypes = ["authorization_code", "client_credentials", "urn:ietf:params:oauth:grant-type:device_code"];
  const client = { clientId: "forms", publicClient: false, grantTypes, redirectUris: ["https://app.example.com/callback"] };
  const { status, body } = await realm.asMaster().post("/clients", client);
  expect(status, JSON.stringify(body)).toBe(201);
  return { client_id: body.clientId, client_secret: body.secret };
}
