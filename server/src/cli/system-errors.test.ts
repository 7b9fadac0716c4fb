import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { loadConfig } from "../config.ts";
import { checkDataDir, checkPort } from "./doctor/machine.ts";
import { inWords, writeOut } from "./system-errors.ts";

let folder: string;
let server: Server;
let port: number;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "gatehouse-errors-"));
  writeFileSync(join(folder, "file"), "");
  // Closes at once, so that nobody waits for an answer.
  server = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  port = (server.address() as { port: number }).port;
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

const failure = async (work: () => unknown): Promise<unknown> => {
  try {
    return await work();
  } catch (error) {
    return error;
  }
};
const said = (error: unknown, dataDir?: string) => (inWords(error, dataDir === undefined ? {} : { dataDir }) as Error).message;
const denied = (path: string) => Object.assign(new Error("EACCES: permission denied"), { code: "EACCES", syscall: "mkdir", path });

test("a data folder that cannot be used is named with what to do, as by doctor", async () => {
  const file = join(folder, "file");
  const exists = await failure(() => mkdirSync(join(file, "data"), { recursive: true }));
  const taken = await failure(() => mkdirSync(file));
  const [found] = await checkDataDir(loadConfig({ env: { GATEHOUSE_DATA_DIR: file }, cwd: folder }));
  expect(`${found!.message} ${found!.advice}`).toBe(
    `${file} cannot be used: there is a file where a folder is needed (ENOTDIR). Choose another GATEHOUSE_DATA_DIR.`,
  );
  for (const error of [exists, taken])
    expect(said(error, file)).toMatch(/there is a file where a folder is needed \(E\w+\)\. Choose another GATEH/);
  expect(said(denied(join(folder, "data")), folder)).toBe(
    `${join(folder, "data")} cannot be used: this user may not read or write it (EACCES). Give it to the user that runs Gatehouse, or choose another GATEHOUSE_DATA_DIR.`,
  );
  expect(said(denied("/elsewhere"), folder)).toMatch(/or choose another path\.$/);
});

test("a port that is taken is named with what to do, as by doctor", async () => {
  const again = createServer();
  const error = await new Promise((resolve) => again.once("error", resolve).listen(port, "127.0.0.1"));
  const [found] = await checkPort(loadConfig({ env: { GATEHOUSE_HOST: "127.0.0.1", GATEHOUSE_PORT: String(port) }, cwd: folder }));
  expect(said(error)).toBe(`Another program uses 127.0.0.1:${port}. Stop it, or choose another GATEHOUSE_PORT.`);
  expect(said(error)).toBe(`${found!.message} ${found!.advice}`);
});

test("a file that cannot be written is named with what to do", async () => {
  const path = join(folder, "none", "x.yaml");
  expect(await failure(() => writeOut(path, "text"))).toMatchObject({
    message: `${path} cannot be used: the folder for it does not exist (ENOENT). Create that folder, or choose another path.`,
  });
});

// A write to a file that is open names none.
test.skipIf(process.platform !== "linux")("a full disk is named with what to do", async () => {
  expect(await failure(() => writeOut("/dev/full", "text"))).toMatchObject({
    message: "/dev/full cannot be used: the disk is full (ENOSPC). Make room, or choose another path on a larger disk.",
  });
});

test("any other error stays as it is", () => {
  const refused = Object.assign(new Error("refused"), { code: "ECONNREFUSED", syscall: "connect", address: "127.0.0.1", port: 1 });
  for (const error of [refused, new Error("another"), "a text"]) expect(inWords(error, { dataDir: folder })).toBe(error);
});
