import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { expect, test } from "vitest";
import { emptyPostgres, postgresUrl, spawnServer, untilReady } from "./process.ts";
import { must } from "./visitor.ts";

const NODES = 3;

test.skipIf(!postgresUrl)("servers that start together on one empty Postgres all come up, with one master and one admin", async () => {
  const database = await emptyPostgres();
  // Each would make up its own password: only one of them may count, and only that one may be left in a file.
  const env = { ...database, GATEHOUSE_BOOTSTRAP_ADMIN_PASSWORD: undefined };
  const nodes = await Promise.all(Array.from({ length: NODES }, () => spawnServer({ env })));
  await Promise.all(nodes.map(untilReady));

  const files = nodes.map(({ folder }) => join(folder, "data", "initial-admin-password")).filter((file) => existsSync(file));
  expect(files).toHaveLength(1);
  const password = readFileSync(files[0]!, "utf8").trim();
  for (const node of nodes) {
    const admin = await node.admin(password);
    const realms = must(await admin.get("/admin/realms"), 200);
    expect(realms.map(({ realm }: { realm: string }) => realm)).toEqual(["master"]);
    expect(must(await admin.get("/admin/realms/master/users"), 200)).toMatchObject([{ username: "admin" }]);
    expect(must(await admin.get("/admin/realms/master/keys"), 200)).toHaveLength(1);
  }

  const client = new pg.Client({ connectionString: database.DATABASE_URL });
  await client.connect();
  const { rows } = await client.query("select name, count(*)::int as times from schema_migrations group by name");
  await client.end();
  expect(rows.length).toBeGreaterThan(0);
  expect(rows.filter(({ times }) => times !== 1)).toEqual([]);

  for (const node of nodes) expect(await node.stop()).toMatchObject({ code: 0 });
});
