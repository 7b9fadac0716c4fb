import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { BRIEFLY } from "../../src/testing/built-server.ts";
import { emptyFolder, serverFolder, startServer } from "./process.ts";

/** The content of a clone after `npm ci`: sources, and neither a build nor a template. */
function clone() {
  const root = emptyFolder();
  const server = join(root, "server");
  for (const name of ["package.json", "tsconfig.json", "build.mjs", "template.mjs", "start.mjs", "src", "migrations"])
    cpSync(join(serverFolder, name), join(server, name), { recursive: true });
  cpSync(join(serverFolder, "..", "package-lock.json"), join(root, "package-lock.json"));
  symlinkSync(join(serverFolder, "..", "node_modules"), join(root, "node_modules"));
  if (existsSync(join(serverFolder, "node_modules"))) symlinkSync(join(serverFolder, "node_modules"), join(server, "node_modules"));
  const cache = join(server, ".cache");
  return {
    cache,
    start: () => startServer({ command: [process.execPath, ...BRIEFLY, join(server, "start.mjs")] }),
    templates: () => readdirSync(cache).filter((name) => name.startsWith("embedded-template-")),
    /** Starts, and is killed (-9) as soon as `sign` holds. */
    async killed(sign: () => boolean) {
      const child = spawn(process.execPath, [...BRIEFLY, join(server, "start.mjs")], { cwd: emptyFolder(), stdio: "ignore" });
      const ended = once(child, "exit");
      while (!sign() && child.exitCode === null) await sleep(1);
      child.kill("SIGKILL");
      expect((await ended)[1]).toBe("SIGKILL");
    },
    bundled: () => existsSync(join(server, "dist", "main.js")),
  };
}

test("two starts at once in one clone come up, leave one template, and trip over nothing that starts killed (-9) before them left", async () => {
  const { cache, start, templates, killed, bundled } = clone();
  await killed(() => existsSync(cache));
  await killed(bundled);
  // As a maker leaves them that was killed while it wrote, and another release.
  const dead = spawn(process.execPath, ["--version"], { stdio: "ignore" });
  await once(dead, "exit");
  writeFileSync(join(cache, `embedded-template-fedcba9876543210-0.tar.gz.${dead.pid}`), "half");
  writeFileSync(join(cache, "embedded-template-0123456789abcdef-0.tar.gz"), "older");
  for (const server of await Promise.all([start(), start()])) expect(await server.stop()).toMatchObject({ code: 0 });
  expect(templates()).toEqual([expect.stringMatching(/^embedded-template-[0-9a-f]{16}-0[.]tar[.]gz$/)]);
});
