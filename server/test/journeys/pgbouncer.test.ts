import { afterAll, expect, test } from "vitest";
import { startPgbouncer } from "../../src/testing/pgbouncer.ts";
import { pgbouncerPath } from "../peers/index.mjs";
import { emptyPostgres, postgresUrl, startServer } from "./process.ts";
import { must } from "./visitor.ts";

const endings: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const end of endings) await end();
});

test.skipIf(!postgresUrl || !pgbouncerPath())("two nodes behind PgBouncer in transaction mode are one server", async () => {
  const direct = await emptyPostgres();
  const pooler = await startPgbouncer(direct.DATABASE_URL);
  endings.push(pooler.stop);
  const env = {
    ...direct,
    DATABASE_URL: pooler.url,
    GATEHOUSE_LISTEN_URL: direct.DATABASE_URL,
    GATEHOUSE_PREPARED_STATEMENTS: "false",
  };
  const a = await startServer({ env });
  const b = await startServer({ env });
  const admin = await a.admin();

  must(await admin.post("/admin/realms", { realm: "shop", adminPassword: "a password of an administrator" }), 201);
  await expect.poll(async () => (await b.visitor().get("/realms/shop/login")).status).toBe(200);
  const client = { clientId: "machine", publicClient: false, grantTypes: ["client_credentials"] };
  const { id, secret } = must(await admin.post("/admin/realms/shop/clients", client), 201) as { id: string; secret: string };
  const token = async () => {
    const body = new URLSearchParams({ grant_type: "client_credentials", client_id: "machine", client_secret: secret });
    return (await fetch(`${b.url}/realms/shop/token`, { method: "POST", body })).status;
  };
  await expect.poll(token).toBe(200);

  // More at once than there are connections: sessions mix, and each answer is its own.
  const names = Array.from({ length: 40 }, (_, at) => `person${at}`);
  const created = await Promise.all(
    names.map(async (username, at) => must(await admin.at(at % 2 ? a : b).post("/admin/realms/shop/users", { username }), 201)),
  );
  const read = await Promise.all(
    created.map(async ({ userId }, at) => must(await admin.at(at % 2 ? b : a).get(`/admin/realms/shop/users/${userId}`), 200)),
  );
  expect(read.map(({ username }) => username)).toEqual(names);

  // Notifications take the direct connection.
  must(await admin.delete(`/admin/realms/shop/clients/${id}`), 204);
  await expect.poll(token).toBe(401);
  for (const node of [a, b]) {
    expect(await node.stop()).toMatchObject({ code: 0 });
    expect(node.err() + node.out()).not.toMatch(/prepared statement|"level":(50|60)/);
  }
});
