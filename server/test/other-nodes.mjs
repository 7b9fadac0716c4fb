// The quick part of the tests on newer releases of Node than the one that runs everything: what needs no database, one file on the
// embedded database, and a start of the built server. The programs come from npm, into a temporary folder, not into our lock.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { freePort } from "./peers/index.mjs";

const VERSIONS = ["24.20.0", "26.10.0"];
const QUICK = [
  ["--project", "plain"],
  ["--project", "embedded", "src/tenancy/settings"],
];
const server = dirname(dirname(fileURLToPath(import.meta.url)));
const require = createRequire(import.meta.url);
const vitest = join(dirname(require.resolve("vitest/package.json")), "vitest.mjs");
const name = `node-linux-${process.arch}`;

/** @param {string} node @param {string[]} args */
function run(node, args) {
  const { status } = spawnSync(node, args, { cwd: server, stdio: ["ignore", "inherit", "inherit"] });
  if (status !== 0) throw new Error(`${args.slice(1).join(" ")} failed with ${status}`);
}

/** The built server answers that it is ready, and ends well when asked to. @param {string} node @param {string} folder */
async function starts(node, folder) {
  const port = await freePort();
  const child = spawn(node, [join(server, "dist", "main.js"), "start", "--port", String(port)], { cwd: folder, stdio: "ignore" });
  const ended = once(child, "exit");
  try {
    for (const until = Date.now() + 60_000; ; await sleep(200)) {
      const answer = await fetch(`http://127.0.0.1:${port}/monitoring/health/readiness`).catch(() => null);
      if (answer?.ok) break;
      if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode} before it was ready`);
      if (Date.now() > until) throw new Error("the server was not ready within a minute");
    }
  } finally {
    child.kill("SIGTERM");
  }
  const [code] = await ended;
  if (code !== 0) throw new Error(`the server ended with ${code} when asked to stop`);
}

if (process.platform !== "linux" || !["x64", "arm64"].includes(process.arch)) {
  console.log(`npm brings no Node for ${process.platform} ${process.arch}: only ${process.version} was tried.`);
  process.exit(0);
}

const folder = await mkdtemp(join(tmpdir(), "gatehouse-nodes-"));
try {
  for (const version of VERSIONS) {
    const home = join(folder, version);
    const installed = spawnSync("npm", ["install", "--prefix", home, "--no-save", "--no-audit", "--no-fund", `${name}@${version}`], {
      stdio: ["ignore", "ignore", "inherit"],
    });
    if (installed.status !== 0) throw new Error(`npm could not install ${name}@${version}`);
    const node = join(home, "node_modules", name, "bin", "node");
    for (const args of QUICK) run(node, [vitest, "run", "--reporter=dot", ...args]);
    await starts(node, home);
    console.log(`Node ${version}: the quick tests pass, and the built server starts and stops.`);
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
