import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { loadConfig } from "../config.ts";
import { createCore } from "../core.ts";
import { type Place, place, type RunningServer } from "../testing/built-server.ts";
import { runHere } from "../testing/command-line.ts";
import { applyAtStart } from "./apply.ts";

// The commands as people and pipelines use them, on the example of the repository: in this process, but for a few in their own. Later tests
// find what earlier ones left.
const example = fileURLToPath(new URL("../../../examples/realm.yaml", import.meta.url));
const SECRET = { STOCK_SYNC_SECRET: "a-secret-of-the-stock-sync" };
let here: Place;
let server: RunningServer;
let files: string;
beforeAll(async () => {
  here = await place();
  files = join(here.folder, "realm");
  mkdirSync(files);
  copyFileSync(example, join(files, "realm.yaml"));
  server = await here.start();
}, 300_000);
afterAll(async () => {
  await server?.kill("SIGTERM");
  await here?.remove();
});

const run = (...args: string[]) => runHere(here, args, SECRET);
/** As a process, whose exit code a pipeline sees. */
const runApart = (...args: string[]) => here.gatehouse(args, SECRET);
const write = (name: string, text: string) => {
  const path = join(files, name);
  writeFileSync(path, text);
  return path;
};

test("diff, apply, diff: exit codes 2, 0 and 0; apply again changes nothing", async () => {
  expect(await runHere(here, ["apply", "-f", files])).toMatchObject({
    code: 1,
    err: expect.stringContaining("the environment has no STOCK_SYNC_SECRET"),
  });
  // 2 says that something would change, so wrong usage is a 1.
  for (const wrong of [
    ["diff"],
    ["diff", "-f", files, "--prun"],
    ["apply", "-f", files, "--source", "a b"],
    ["realm", "import", "x", "--fiel"],
  ])
    expect(await run(...wrong), wrong.join(" ")).toMatchObject({ code: 1, err: expect.stringContaining("Usage: gatehouse ") });
  expect(await runApart("diff", "-f", files)).toMatchObject({ code: 2, out: expect.stringContaining("apply creates it") });
  expect(await run("apply", "-f", files, "--plan", "of-another-realm")).toMatchObject({
    code: 1,
    err: expect.stringContaining("There is no realm “shop-staff”, so creating it is another plan."),
  });
  const first = await runApart("apply", "-f", files);
  expect(first).toMatchObject({ code: 0, out: expect.stringContaining("0 deleted") });
  expect(first.out).toContain("  + back-office");
  expect(first.out).not.toContain(SECRET.STOCK_SYNC_SECRET);
  expect(await run("diff", "-f", files)).toMatchObject({ code: 0, out: "shop-staff already matches the document.\n" });
  expect(await run("apply", "-f", files)).toMatchObject({ code: 0, out: "shop-staff already matches the document.\n" });
});

test("a plan is applied as it was shown, or not at all; --prune takes what the files no longer have", async () => {
  const more = write("more.yaml", "clients:\n  - clientId: till\n    name: Till\n    publicClient: true\n");
  const shown = await run("apply", "-f", files, "--dry-run", "--json");
  expect(shown.code).toBe(2);
  const { digest, actions } = JSON.parse(shown.out);
  expect(actions).toMatchObject([{ section: "clients", key: "till", action: "create" }]);
  write("more.yaml", readFileSync(more, "utf8").replace("Till", "Cash desk"));
  expect(await run("apply", "-f", files, "--plan", digest)).toMatchObject({ code: 1, err: expect.stringContaining("has changed since") });
  expect((await run("apply", "-f", files)).code).toBe(0);
  const only = join(files, "realm.yaml");
  expect(await run("diff", "-f", only)).toMatchObject({ code: 0 });
  expect(await run("diff", "-f", only, "--prune")).toMatchObject({ code: 2, out: expect.stringContaining("  - till") });
  expect(await run("apply", "-f", only, "--prune", "--source", "another")).toMatchObject({
    code: 0,
    out: expect.stringContaining("already matches"),
  });
  expect(await run("apply", "-f", only, "--prune")).toMatchObject({ code: 0, out: expect.stringContaining("1 deleted") });
});

test("an export is applied elsewhere, and says the same there", async () => {
  const passphrase = write("passphrase", "correct horse battery\n");
  const plain = await run("realm", "export", "shop-staff");
  expect(plain.code).toBe(0);
  expect(plain.out).not.toContain(SECRET.STOCK_SYNC_SECRET);
  const out = join(here.folder, "sealed.json");
  expect((await run("realm", "export", "shop-staff", "--out", out, "--passphrase-file", passphrase)).code).toBe(0);
  expect(readFileSync(out, "utf8")).not.toContain(SECRET.STOCK_SYNC_SECRET);
  expect(await run("realm", "import", "copy", "-f", out, "--passphrase-file", passphrase)).toMatchObject({
    code: 1,
    err: expect.stringContaining("realm create copy"),
  });
  const password = write("password", "a password of an administrator\n");
  expect((await run("realm", "create", "copy", "--admin-password-file", password)).code).toBe(0);
  const wrong = write("wrong", "another passphrase\n");
  expect((await run("realm", "import", "copy", "-f", out, "--passphrase-file", wrong)).err).toContain("does not open");
  expect(await run("realm", "import", "copy", "-f", out, "--passphrase-file", passphrase)).toMatchObject({
    code: 0,
    err: "The document names the realm shop-staff. Its content goes to copy, because the command names that realm.\n",
  });
  const copy = await run("realm", "export", "copy");
  expect(copy.out.replace("realm: copy", "realm: shop-staff")).toBe(plain.out);
});

test("an export to a folder that is not there says what to do", async () => {
  const out = join(here.folder, "none", "x.yaml");
  expect(await run("realm", "export", "shop-staff", "--out", out)).toMatchObject({
    code: 1,
    err: `${out} cannot be used: the folder for it does not exist (ENOENT). Create that folder, or choose another path.\n`,
  });
});

test("an export of a section that is not known is wrong usage, and names the nearest", async () => {
  expect(await run("realm", "export", "shop-staff", "--sections", "roles,cleints")).toMatchObject({
    code: 2,
    out: "",
    err: expect.stringContaining("--sections: There is no section “cleints”. Did you mean clients?"),
  });
});

test("a running server is asked by a token, under the permissions of its client", async () => {
  const audience = `${here.env.GATEHOUSE_BASE_URL}/admin`;
  const robot = `
clients:
  - clientId: deployer
    grantTypes: [client_credentials]
    secret: a-secret-of-the-deployer
    allowedResources: ["${audience}"]
    serviceAccountRoles: [deployer]
roles:
  - name: deployer
    permissions: [manage-realm, manage-roles, view-users]
`;
  const file = write("robot.yaml", `realm: shop-staff\n${robot}`);
  expect(await run("apply", "-f", file)).toMatchObject({ code: 0, err: "" });
  const answer = await fetch(`${server.url}/realms/shop-staff/token`, {
    method: "POST",
    headers: { authorization: `Basic ${btoa("deployer:a-secret-of-the-deployer")}` },
    body: new URLSearchParams({ grant_type: "client_credentials", resource: audience }),
  });
  const { access_token: token } = (await answer.json()) as { access_token: string };
  const remote = ["--server", server.url, "--token-file", write("token", `${token}\n`)];
  const roles = write("roles.yaml", "realm: shop-staff\nroles:\n  - name: cashier\n");
  expect(await run("diff", "-f", roles, ...remote)).toMatchObject({ code: 2, out: expect.stringContaining("+ cashier") });
  expect(await run("apply", "-f", roles, ...remote)).toMatchObject({ code: 0, out: expect.stringContaining("1 created") });
  expect(await run("diff", "-f", roles, ...remote)).toMatchObject({ code: 0 });
  expect(await run("realm", "export", "shop-staff", "--sections", "roles", ...remote)).toMatchObject({
    code: 0,
    out: expect.stringContaining("name: cashier"),
  });
  const lacking = await run("diff", "-f", example, ...remote);
  expect(lacking.out).toContain("Not compared: clients. That needs the permission manage-clients.");
  expect(await run("apply", "-f", example, ...remote)).toMatchObject({ code: 1, err: expect.stringContaining("manage-clients (clients)") });
  const elsewhere = write("elsewhere.yaml", "realm: elsewhere\nroles: []\n");
  for (const command of ["diff", "apply"])
    expect(await run(command, "-f", elsewhere, ...remote)).toMatchObject({
      code: 1,
      err: expect.stringContaining("There is no realm “elsewhere” on that server."),
    });
  expect(await run("diff", "-f", roles, "--server", "http://id.example.com", "--token-file", "x")).toMatchObject({ code: 1 });
});

const isThere = async (realm: string) => (await run("realm", "list", "--search", realm)).out.includes(realm);

test.each([
  ["a form", "clients:\n  - clientId: x\n    nmae: X\n    publicClient: maybe\n", /2 faults:\n {2}clients\[x\]/],
  ["a reference", "roles:\n  - name: a\n    compositeRoles: [none]\n", /“none”/],
])("a new realm is judged whole with %s that is wrong, and is not left behind", async (_what, text, faults) => {
  const file = write("unborn.yaml", `realm: unborn\n${text}`);
  for (const command of [["diff"], ["apply", "--dry-run"], ["apply"]])
    expect(await run(...command, "-f", file), command.join(" ")).toMatchObject({ code: 1, out: "", err: expect.stringMatching(faults) });
  const core = await createCore(loadConfig({ env: here.env, cwd: here.folder }), { output: { write: () => undefined }, migrate: false });
  await expect(applyAtStart(core, file, () => {}).finally(() => core.close())).rejects.toThrow(faults);
  expect(await isThere("unborn")).toBe(false);
});

test("the plan of a new realm is the whole list, is no plan of a realm that is there, and is applied as it was shown", async () => {
  const newcomer = "realm: newcomer\nroles:\n  - name: first\nusers:\n  - username: admin\n  - username: ada\n    roles: [user, first]\n";
  const sealed = ["-f", join(here.folder, "sealed.json"), "--passphrase-file", join(files, "passphrase"), "--realm", "sealed-copy"];
  for (const [realm, ...of] of [
    ["newcomer", "-f", write("newcomer.yaml", newcomer)],
    ["sealed-copy", ...sealed],
  ] as const) {
    const diff = await run("diff", ...of);
    expect(diff).toMatchObject({
      code: 2,
      out: expect.stringMatching(/^There is no realm “.*” yet: apply creates it\.\n[\s\S]*roles\n {2}\+ /),
    });
    const { digest, newRealm } = JSON.parse((await run("apply", ...of, "--dry-run", "--json")).out);
    expect(diff.out).toContain(`Plan ${digest}\n`);
    expect(newRealm).toBe(true);
    // The value of a flag begins with no dash.
    expect(digest).toMatch(/^[0-9a-f]{64}$/);
    expect(await isThere(realm)).toBe(false);
    expect(await run("apply", ...of, "--plan", digest)).toMatchObject({
      code: 0,
      err: expect.stringContaining(`Created the realm ${realm}.`),
    });
    expect(await run("apply", ...of, "--plan", digest)).toMatchObject({ code: 1, err: expect.stringContaining("has changed since") });
    expect(await run("diff", ...of)).toMatchObject({ code: 0 });
  }
  expect((await run("realm", "export", "newcomer", "--users")).out).toMatch(/- first[\s\S]*username: ada/);
  const empty = write("empty.yaml", "realm: empty\nroles: []\n");
  const plan = JSON.parse((await run("diff", "-f", empty, "--json")).out);
  expect(plan).toMatchObject({ newRealm: true, actions: [] });
  expect(await run("diff", "-f", empty)).toMatchObject({ code: 2, out: expect.stringContaining(`Plan ${plan.digest}`) });
  expect((await run("apply", "-f", empty)).code).toBe(0);
  expect(JSON.parse((await run("diff", "-f", empty, "--json")).out).digest).not.toBe(plan.digest);
});

test("faults are named one a line, and nothing was changed", async () => {
  const file = write(
    "bad.yaml",
    "realm: shop-staff\nroles:\n  - name: a\n    compositeRoles: [none]\n  - name: b\n    compositeRoles: [none]\n",
  );
  const { code, err } = await run("apply", "-f", file);
  expect(code).toBe(1);
  expect(err).toMatch(/2 faults:\n {2}roles\[a\]: .*“none”.*\n {2}roles\[b\]: /);
});

test("start --apply brings a realm before the server listens", async () => {
  const folder = join(here.folder, "at-start");
  mkdirSync(folder);
  writeFileSync(join(folder, "one.yaml"), "realm: from-files\nroles:\n  - name: first\n");
  writeFileSync(join(folder, "two.yaml"), "realm: from-files\nroles:\n  - name: second\n");
  const second = await here.start({}, ["--apply", folder]);
  try {
    expect((await run("realm", "export", "from-files", "--sections", "roles")).out).toMatch(/name: first[\s\S]*name: second/);
  } finally {
    await second.kill("SIGTERM");
  }
  writeFileSync(join(folder, "three.yaml"), "roles: []\n");
  await expect(here.start({}, ["--apply", folder])).rejects.toThrow(/three\.yaml names no realm/);
});

test("nodes that start --apply at once all start, though one alone creates the realm", async () => {
  const file = join(here.folder, "at-once.yaml");
  writeFileSync(file, "realm: at-once\nroles:\n  - name: first\n");
  const config = loadConfig({ env: here.env, cwd: here.folder });
  const nodes = await Promise.all([1, 2].map(() => createCore(config, { output: { write: () => undefined }, migrate: false })));
  const notes: string[] = [];
  try {
    await Promise.all(nodes.map((core) => applyAtStart(core, file, (text) => notes.push(text))));
    const created = nodes[0]!.db.selectFrom("audit_events").select(["realm_id", "type"]).where("resource_id", "=", "at-once");
    expect(await created.orderBy("type").execute()).toEqual([
      { realm_id: "at-once", type: "ADMIN_ACTION" },
      { realm_id: "master", type: "ADMIN_CREATE" },
    ]);
  } finally {
    for (const core of nodes) await core.close();
  }
  expect(notes.map((text) => text.split(": ").at(-1)).sort()).toEqual(["0 changed.", "1 changed."]);
});

test("admin create gives a role that carries realm-admin, also where the realm took it from the role admin", async () => {
  const chiefs = "realm: moved\nroles:\n  - name: chief\n    permissions: [realm-admin]\nusers:\n  - username: boss\n    roles: [chief]\n";
  expect(await run("apply", "-f", write("moved.yaml", chiefs))).toMatchObject({ code: 0 });
  const create = (username: string) => run("admin", "create", "--realm", "moved", "--username", username, "--json");
  expect(JSON.parse((await create("before")).out).roles).toEqual(["admin", "user"]);
  const emptied = write("emptied.yaml", "realm: moved\nroles:\n  - name: admin\n    permissions: []\n");
  expect(await run("apply", "-f", emptied)).toMatchObject({ code: 0 });
  expect(JSON.parse((await create("after")).out).roles).toEqual(["chief", "user"]);
});
