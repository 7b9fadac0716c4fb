// Starts the built server on releases of Node that are newer than the one that runs everything, and runs the quick part of the tests on the newest of them:
// tests without a database, and one file on the embedded database. A release between the two has what both have. The programs come from npm, into a temporary
// folder, and are not in our lock.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { freePort } from "./peers/index.mjs";

const VERSIONS = ["24.20.0", "26.10.0"];
const NEWEST = VERSIONS.at(-1);
// A domain controller has fixed ports, and the other tests, which run at the same time, have one. Tests of commands start a process for each, which
// takes a third of the time; here the start of the built server stands for them.
const EXCLUDED = ["src/platform/ldap/active-directory.test.ts", "src/cli/**"];
const QUICK = ["--project=plain", "--project=embedded", ...EXCLUDED.map((files) => `--exclude=${files}`)];
const server = dirname(dirname(fileURLToPath(import.meta.url)));
const require = createRequire(import.meta.url);
const vitest = join(dirname(require.resolve("vitest/package.json")), "vitest.mjs");
const name = `node-linux-${process.arch}`;

/** Runs a program to its end, and shows its output if it fails. @param {string} program @param {string[]} args */
async function run(program, args) {
  const env = { ...process.env, QUICK_TESTS: "true" };
  const child = spawn(program, args, { cwd: server, env, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text) => {
      output += text;
    });
  const [status] = await once(child, "close");
  if (status === 0) return;
  console.error(output);
  throw new Error(`${[program, ...args].join(" ")} failed with ${status}`);
}

/** Checks that the built server becomes ready and stops cleanly. @param {string} node @param {string} folder */
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

/** @param {string} folder @param {string} version */
async function tryOut(folder, version) {
  const home = join(folder, version);
  await run("npm", ["install", "--prefix", home, "--no-save", "--no-audit", "--no-fund", `${name}@${version}`]);
  const node = join(home, "node_modules", name, "bin", "node");
  await starts(node, home);
  console.log(`Node ${version}: the built server starts and stops.`);
  if (version !== NEWEST) return;
  await run(node, [vitest, "run", "--reporter=dot", ...QUICK]);
  console.log(`Node ${version}: the quick tests pass.`);
}

const folder = await mkdtemp(join(tmpdir(), "gatehouse-nodes-"));
try {
  for (const version of VERSIONS) await tryOut(folder, version);
} finally {
  await rm(folder, { recursive: true, force: true });
}
