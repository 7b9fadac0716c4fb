import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { BRIEFLY } from "../../src/testing/built-server.ts";
import { emptyFolder, MAIN, serverFolder, startRefused, startServer } from "./process.ts";
import { must } from "./visitor.ts";

/** As a new user: nothing is configured but the port, so that tests do not disturb each other. */
const NOTHING = { GATEHOUSE_BOOTSTRAP_ADMIN_PASSWORD: undefined, GATEHOUSE_HOST: undefined };
const SCRIPT = "/usr/bin/script";

function generatedPassword(folder: string): string {
  const file = join(folder, "data", "initial-admin-password");
  expect((statSync(file).mode & 0o777).toString(8)).toBe("600");
  expect((statSync(join(folder, "data")).mode & 0o777).toString(8)).toBe("700");
  return readFileSync(file, "utf8").trim();
}

test("npm start in an empty folder: a working server, a password in a 0600 file and in no output, a demo realm", async () => {
  const folder = emptyFolder();
  const server = await startServer({ folder, env: NOTHING, command: [process.execPath, ...BRIEFLY, join(serverFolder, "start.mjs")] });
  const password = generatedPassword(folder);
  expect(password.length).toBeGreaterThanOrEqual(16);
  expect((statSync(join(folder, "data", "master.key")).mode & 0o777).toString(8)).toBe("600");
  expect(readdirSync(folder)).toEqual(["data"]);

  const admin = await server.admin(password);
  expect(must(await admin.get("/admin/realms"), 200).map(({ realm }: { realm: string }) => realm)).toEqual(["demo", "master"]);
  const demo = server.visitor();
  await demo.signIn("demo", "admin", password);
  must(await demo.get("/admin/realms/demo/users"), 200);

  const ending = await server.stop();
  expect(ending.code).toBe(0);
  expect(ending.err).toContain(`http://localhost:${server.port}/realms/master/login`);
  expect(ending.err).toContain(join(folder, "data", "initial-admin-password"));
  expect(`${ending.out}${ending.err}`).not.toContain(password);
});

test.skipIf(!existsSync(SCRIPT))("on a terminal the generated password is shown there, and still not in the log", async () => {
  const folder = emptyFolder();
  // A terminal for stderr; stdout goes where logs go.
  const line = `exec '${process.execPath}' ${BRIEFLY.join(" ")} '${MAIN}' start > '${join(folder, "log")}'`;
  const server = await startServer({ folder, env: { ...NOTHING, SHELL: "/bin/sh" }, command: [SCRIPT, "-qec", line, "/dev/null"] });
  const password = generatedPassword(folder);
  await expect.poll(() => server.out()).toContain(`Password    ${password}`);
  await server.admin(password);
  expect(readFileSync(join(folder, "log"), "utf8")).not.toContain(password);
  await server.stop();
});

test("production has no demo realm, and insists on its address", async () => {
  const refused = await startRefused({ env: { GATEHOUSE_MODE: "production" } });
  expect(refused.code).toBe(1);
  expect(refused.err).toContain("GATEHOUSE_BASE_URL");

  const server = await startServer({ env: { GATEHOUSE_MODE: "production", GATEHOUSE_BASE_URL: "http://localhost:8080" } });
  expect(must(await (await server.admin()).get("/admin/realms"), 200)).toMatchObject([{ realm: "master" }]);
  expect((await server.visitor().get("/realms/demo/login")).status).toBe(404);
  await server.stop();
});

test("an unknown GATEHOUSE_ name is refused with a suggestion, before anything is made", async () => {
  const folder = emptyFolder();
  const refused = await startRefused({ folder, env: { GATEHOUSE_BASE_ULR: "http://localhost" } });
  expect(refused.code).toBe(1);
  expect(refused.err).toContain("GATEHOUSE_BASE_ULR");
  expect(refused.err).toContain("Did you mean GATEHOUSE_BASE_URL?");
  expect(readdirSync(folder)).toEqual([]);
});
