import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createApp } from "../../app.ts";
import { bootstrap } from "../../bootstrap.ts";
import { createCore } from "../../core.ts";
import { Browser } from "../../testing/browser.ts";
import { type Harness, harness, MASTER_PASSWORD } from "../../testing/harness.ts";

let iam: Harness;
let dataDir: string;
beforeAll(async () => {
  iam = await harness();
  dataDir = await mkdtemp(join(tmpdir(), "gatehouse-restart-"));
});
afterAll(async () => {
  await iam?.close();
  await rm(dataDir, { recursive: true, force: true });
});

/** Runs a whole server, from opening its database to closing it. */
async function lifetime<T>(work: (browser: () => Browser) => Promise<T>): Promise<T> {
  const core = await createCore({ ...iam.config, dataDir }, { output: { write: () => {} } });
  await bootstrap(core);
  const server = await createApp(core);
  try {
    await server.app.ready();
    return await work(() => new Browser(server.app));
  } finally {
    await server.close();
    await core.close();
  }
}

test("a session outlives the server that began it", async () => {
  const cookies = await lifetime(async (open) => {
    const browser = open();
    await browser.signIn("master", "admin", MASTER_PASSWORD);
    return new Map(browser.cookies);
  });
  await lifetime(async (open) => {
    const browser = open();
    for (const [name, value] of cookies) browser.cookies.set(name, value);
    expect((await browser.get("/admin/realms")).status).toBe(200);
    // The CSRF token stays too, so a page that was open keeps working.
    expect(browser.cookies.get("XSRF-TOKEN")).toBe(cookies.get("XSRF-TOKEN"));
    expect((await browser.post("/admin/realms/master/users", { username: "after-the-restart" })).status).toBe(201);
    expect((await open().get("/admin/realms")).status).toBe(401);
  });
}, 120_000);
