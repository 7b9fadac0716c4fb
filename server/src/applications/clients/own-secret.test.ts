import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import type { AdminClient, RealmUnderTest } from "../../testing/realm.ts";

let iam: SharedHarness;
let realm: RealmUnderTest;
let admin: AdminClient;
beforeAll(async () => {
  iam = await sharedHarness();
  realm = await iam.realm();
  admin = await realm.as("manage-clients", "view-clients");
});
afterAll(() => iam?.close());

const SECRET = "kept:from/the+old%server~42";
const MACHINE = { grantTypes: ["client_credentials"] };
/** The full state of such a client, as PUT accepts it. */
const STATE = { enabled: true, publicClient: false, ...MACHINE };

/** Returns the token endpoint's status for a client with this secret. */
const ask = async (clientId: string, secret: string): Promise<number> => {
  const form = { grant_type: "client_credentials", client_id: clientId, client_secret: secret };
  return (await iam.browser().request("POST", `/realms/${realm.name}/token`, { form, csrf: false })).status;
};
const askByHeader = async (clientId: string, secret: string): Promise<number> => {
  const authorization = `Basic ${btoa(`${clientId}:${encodeURIComponent(secret)}`)}`;
  const form = { grant_type: "client_credentials" };
  return (await iam.browser().request("POST", `/realms/${realm.name}/token`, { form, csrf: false, headers: { authorization } })).status;
};
const storedSecret = async (id: string) =>
  (await iam.core.db.selectFrom("clients").select("secret").where("id", "=", id).executeTakeFirstOrThrow()).secret;

describe("the secret in a request", () => {
  test("at creation is the client's: in the response, sealed in the row, in no other read and in no log", async () => {
    const made = await admin.post("/clients", { clientId: "moved", secret: SECRET, ...MACHINE });
    expect(made, made.text).toMatchObject({ status: 201, body: { secret: SECRET } });
    const { id } = made.body;
    expect(await ask("moved", SECRET)).toBe(200);
    expect(await askByHeader("moved", SECRET)).toBe(200);
    expect(await ask("moved", `${SECRET}x`)).toBe(401);
    expect(await storedSecret(id)).toMatch(/^v1\./);
    for (const path of [`/clients/${id}`, "/clients?search=moved"]) expect((await admin.get(path)).text).not.toContain(SECRET);
    expect(JSON.stringify(await realm.events(`resourceId=${id}`))).not.toContain(SECRET);
    expect(iam.output.join("")).not.toContain(SECRET);
  });

  const refusals: [string, unknown, object, string][] = [
    ["is too short", "only-15-letters", {}, "too_short"],
    ["is too long", `0123456789${"a".repeat(246)}`, {}, "too_long"],
    ["has a space", "a secret with spaces in it", {}, "pattern"],
    ["has a letter beyond ASCII", "ein-schönes-geheimnis", {}, "pattern"],
    ["has a control character", "sixteen-letters-\u0007-more", {}, "pattern"],
    ["is null", null, {}, "type"],
    ["repeats itself", "abcdefgabcdefgabcdefg", {}, "weak"],
    ["is the client id", "Refused-Client-Id-1", {}, "weak"],
    ["is for a public client", SECRET, { publicClient: true }, "unexpected"],
    ["is for a client with keys", SECRET, { authMethod: "private_key_jwt", jwksUri: "https://app.example/jwks" }, "unexpected"],
    ["is too short to sign assertions", SECRET, { authMethod: "client_secret_jwt" }, "short"],
    ["is too short to sign request objects", SECRET, { requestObjectAlg: "HS256" }, "short"],
  ];
  test.each(refusals)("is refused by its name if it %s, and never repeated", async (_, secret, members, code) => {
    const answer = await admin.post("/clients", { clientId: "refused-client-id-1", secret, ...members });
    expect(answer, answer.text).toMatchObject({ status: 400, body: { errors: [{ field: "secret", code }] } });
    if (typeof secret === "string" && code !== "weak") expect(answer.text).not.toContain(secret);
    expect((await admin.get("/clients?search=refused")).body).toEqual([]);
  });

  test("may have 16 characters, 255, and every sign", async () => {
    const signs = Array.from({ length: 94 }, (_, at) => String.fromCharCode(33 + at)).join("");
    for (const [at, secret] of ["0123456789abcdef", signs, `01234567${"x".repeat(247)}`].entries()) {
      const made = await admin.post("/clients", { clientId: `bounds${at}`, secret, ...MACHINE });
      expect(made, made.text).toMatchObject({ status: 201, body: { secret } });
      expect(await ask(`bounds${at}`, secret)).toBe(200);
      expect(await askByHeader(`bounds${at}`, secret)).toBe(200);
    }
  });
});

describe("a public client becomes confidential in one step", () => {
  test("and only the response shows the secret that was generated for it", async () => {
    const { id } = (await admin.post("/clients", { clientId: "spa", publicClient: true })).body;
    const saved = await admin.put(`/clients/${id}`, STATE);
    expect(saved, saved.text).toMatchObject({ status: 200, body: { publicClient: false, authMethod: "client_secret" } });
    const { secret, ...state } = saved.body;
    expect(secret).toMatch(/^[\w-]{43}$/);
    expect(await ask("spa", secret)).toBe(200);
    expect(await storedSecret(id)).toMatch(/^v1\./);
    expect((await admin.get(`/clients/${id}`)).body).toEqual(state);
    const again = await admin.put(`/clients/${id}`, state);
    expect(again.status).toBe(200);
    expect(again.body).not.toHaveProperty("secret");
    expect(await ask("spa", secret)).toBe(200);
    expect(await realm.events(`type=CLIENT_SECRET_ROTATED&resourceId=${id}`)).toEqual([]);
  });

  test("by a PATCH that names publicClient alone, and back", async () => {
    const { id } = (await admin.post("/clients", { clientId: "spa3", publicClient: true })).body;
    const saved = await admin.patch(`/clients/${id}`, { publicClient: false, grantTypes: STATE.grantTypes });
    expect(saved, saved.text).toMatchObject({ status: 200, body: { publicClient: false, authMethod: "client_secret" } });
    expect(await ask("spa3", saved.body.secret)).toBe(200);
    const kept = await admin.patch(`/clients/${id}`, { publicClient: false, authMethod: "client_secret_post" });
    expect(kept.body).toMatchObject({ authMethod: "client_secret_post" });
    expect((await admin.patch(`/clients/${id}`, { name: "Shop" })).body).toMatchObject({ authMethod: "client_secret_post" });
    const named = await admin.patch(`/clients/${id}`, {
      publicClient: true,
      grantTypes: ["authorization_code"],
      authMethod: "client_secret",
    });
    expect(named).toMatchObject({ status: 400, body: { errors: [{ field: "authMethod" }] } });
    const back = await admin.patch(`/clients/${id}`, { publicClient: true, grantTypes: ["authorization_code"] });
    expect(back, back.text).toMatchObject({ status: 200, body: { publicClient: true, authMethod: "none" } });
  });

  test("with the secret in the request", async () => {
    const { id } = (await admin.post("/clients", { clientId: "spa2", publicClient: true })).body;
    const saved = await admin.put(`/clients/${id}`, { ...STATE, secret: SECRET });
    expect(saved, saved.text).toMatchObject({ status: 200, body: { secret: SECRET } });
    expect(await ask("spa2", SECRET)).toBe(200);
    const weak = await admin.put(`/clients/${id}`, { ...STATE, secret: "aaaaaaaaaaaaaaaaaaaa" });
    expect(weak).toMatchObject({ status: 400, body: { errors: [{ field: "secret", code: "weak" }] } });
    expect(await ask("spa2", SECRET)).toBe(200);
  });
});

describe("the secret of a confidential client", () => {
  test("is replaced by PUT at once, with an event; the same one changes nothing", async () => {
    const { id } = (await admin.post("/clients", { clientId: "shop", secret: SECRET, ...MACHINE })).body;
    const same = await admin.put(`/clients/${id}`, { ...STATE, secret: SECRET });
    expect(same.status, same.text).toBe(200);
    expect(same.body).not.toHaveProperty("secret");
    expect(await realm.events(`type=CLIENT_SECRET_ROTATED&resourceId=${id}`)).toEqual([]);
    const next = "the-next-secret-0123456789";
    expect(await admin.put(`/clients/${id}`, { ...STATE, secret: next })).toMatchObject({ status: 200, body: { secret: next } });
    expect([await ask("shop", SECRET), await ask("shop", next)]).toEqual([401, 200]);
    expect(await realm.events(`type=CLIENT_SECRET_ROTATED&resourceId=${id}`)).toMatchObject([{ category: "SECURITY", detail: "shop" }]);
    // Signing needs a longer secret than it has.
    const signing = { ...STATE, authMethod: "client_secret_jwt" };
    const short = await admin.put(`/clients/${id}`, signing);
    expect(short).toMatchObject({ status: 400, body: { errors: [{ field: "secret", code: "short" }] } });
    expect((await admin.put(`/clients/${id}`, { ...signing, secret: `${next}${next}` })).status).toBe(200);
  });

  test("can be neither set nor guessed by administrators who hold less than its service account", async () => {
    const { id } = (await admin.post("/clients", { clientId: "mighty", secret: SECRET, ...MACHINE })).body;
    const boss = realm.asMaster();
    expect((await boss.post(`/clients/${id}/service-account/roles`, { name: "admin" })).status).toBe(200);
    for (const secret of [SECRET, "a-wrong-guess-0123456789"])
      expect(await admin.put(`/clients/${id}`, { ...STATE, secret })).toMatchObject({
        status: 403,
        body: { code: "permissions.escalation" },
      });
    expect((await admin.put(`/clients/${id}`, STATE)).status).toBe(200);
    expect(await ask("mighty", SECRET)).toBe(200);
  });
});
