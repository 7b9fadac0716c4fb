import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, expect, test } from "vitest";
import { freePort, pgbouncerPath } from "../peers/index.mjs";
import { emptyFolder, emptyPostgres, postgresUrl, startServer } from "./process.ts";
import { must } from "./visitor.ts";

const endings: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const end of endings) await end();
});

/** PgBouncer with transaction pooling, and fewer connections than the servers behind it would like. */
async function startPgbouncer(database: string): Promise<string> {
  const { hostname, port: target, username, pathname } = new URL(database);
  const folder = emptyFolder();
  const port = await freePort();
  const [file, users] = [join(folder, "pgbouncer.ini"), join(folder, "users.txt")];
  writeFileSync(users, `"${username}" ""\n`);
  writeFileSync(
    file,
    `[databases]
* = host=${hostname} port=${target}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${users}
pool_mode = transaction
default_pool_size = 3
`,
  );
  // It refuses to run as root.
  const child = spawn(pgbouncerPath()!, [...(process.getuid?.() === 0 ? ["-u", "nobody"] : []), file], { stdio: "ignore" });
  const ended = once(child, "exit");
  endings.push(async () => {
    child.kill("SIGTERM");
    await ended;
  });
  const answers = () =>
    new Promise<boolean>((resolve) => {
      const socket = connect(port, "127.0.0.1", () => resolve(true)).on("error", () => resolve(false));
      socket.on("connect", () => socket.destroy());
    });
  while (!(await answers())) {
    if (child.exitCode !== null) throw new Error(`pgbouncer ended (${child.exitCode})`);
    await sleep(25);
  }
  return `postgres://${username}@127.0.0.1:${port}${pathname}`;
}

test.skipIf(!postgresUrl || !pgbouncerPath())("two nodes behind PgBouncer in transaction mode are one server", async () => {
  const direct = await emptyPostgres();
  const env = {
    ...direct,
    DATABASE_URL: await startPgbouncer(direct.DATABASE_URL),
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
