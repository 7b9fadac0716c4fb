// npm test: installs what the tests need, builds, starts a private Postgres, runs every project, and leaves nothing behind.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { startPostgresOfRun } from "./peers/index.mjs";
import { ensurePeers } from "./peers/install.mjs";

const server = dirname(dirname(fileURLToPath(import.meta.url)));
const require = createRequire(import.meta.url);
const vitest = join(dirname(require.resolve("vitest/package.json")), "vitest.mjs");
/** The most files that are tried again. If more fail, the change is at fault and not the machine. */
const MOST_FILES_AGAIN = 4;
const inCI = Boolean(process.env.CI) && process.env.CI !== "false";

/** The exit code of a run that ended early: 128 + the number of the signal, as in shells. @type {number | undefined} */
let interrupted;
/** The processes that were started, and whether each has its own process group. @type {Map<import("node:child_process").ChildProcess, boolean>} */
const running = new Map();

/** Ends a program and what it started, if they share a group. @param {import("node:child_process").ChildProcess} child @param {boolean} ownGroup */
function end(child, ownGroup) {
  try {
    if (ownGroup) process.kill(-(/** @type {number} */ (child.pid)), "SIGKILL");
    else child.kill("SIGKILL");
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== "ESRCH") throw error;
  }
}

for (const [signal, number] of /** @type {const} */ ([
  ["SIGINT", 2],
  ["SIGTERM", 15],
  ["SIGHUP", 1],
])) {
  process.on(signal, () => {
    // A second Ctrl-C ends everything at once.
    const impatient = interrupted !== undefined;
    interrupted = 128 + number;
    for (const [child, ownGroup] of running) {
      if (impatient) end(child, ownGroup);
      else {
        child.kill("SIGINT");
        setTimeout(() => end(child, ownGroup), 15_000).unref();
      }
    }
  });
}

/**
 * Runs a Node program in its own process group, and afterwards ends everything that is still running there. Watching needs the keyboard, so it stays in the
 * terminal's group.
 * @param {string[]} args
 * @param {{ env?: NodeJS.ProcessEnv, interactive?: boolean }} [options]
 * @returns {Promise<number>} its exit code
 */
async function node(args, { env = process.env, interactive = false } = {}) {
  const stdin = interactive ? "inherit" : "ignore";
  const child = spawn(process.execPath, args, { cwd: server, env, detached: !interactive, stdio: [stdin, "inherit", "inherit"] });
  running.set(child, !interactive);
  const [code] = await once(child, "exit");
  running.delete(child);
  if (!interactive) end(child, true);
  return code ?? 1;
}

/** Removes our own switches from the arguments. The others are for vitest. @param {string[]} given */
function readArguments(given) {
  const args = given.filter((arg) => arg !== "--" && arg !== "--watch" && arg !== "-w").map((arg) => arg.replace(/^(\.\/)?server\//, ""));
  const projects = args.flatMap((arg, i) =>
    arg === "--project" ? [args[i + 1] ?? ""] : arg.startsWith("--project=") ? [arg.slice(10)] : [],
  );
  return {
    args,
    projects,
    watch: given.includes("--watch") || given.includes("-w"),
    ownReporter: args.some((arg) => arg.startsWith("--reporter")),
  };
}

/**
 * Returns the totals of all projects, and each failure with the first line of its message. A file that failed before its tests could run counts as one failure.
 * @param {string} file
 */
async function readReport(file) {
  const text = await readFile(file, "utf8").catch(() => {
    throw new Error("vitest ended before it could report: it was stopped from outside, or it failed before the first test (see above)");
  });
  /** @type {{ numPassedTests: number, numFailedTests: number, numTotalTests: number, testResults: { name: string, status: string, message: string, assertionResults: { status: string, fullName: string, failureMessages: string[] }[] }[] }} */
  const report = JSON.parse(text);
  const failures = report.testResults
    .filter(({ status }) => status === "failed")
    .flatMap(({ name, message, assertionResults }) => {
      const failed = assertionResults.filter(({ status }) => status === "failed");
      const file = relative(server, name);
      if (failed.length === 0) return [{ file, test: "the file itself", message }];
      return failed.map(({ fullName, failureMessages }) => ({ file, test: fullName, message: failureMessages[0] ?? "" }));
    });
  return {
    passed: report.numPassedTests,
    failed: failures.length,
    skipped: report.numTotalTests - report.numPassedTests - report.numFailedTests,
    failures,
  };
}

/** @param {string} title @param {{ file: string, test: string, message: string }[]} failures */
function listFailures(title, failures) {
  console.log(`${title}:`);
  for (const { file, test, message } of failures) console.log(`- ${file} > ${test}\n    ${message.split("\n").slice(0, 4).join("\n    ")}`);
}

/**
 * @param {string} folder for everything temporary
 * @returns {Promise<number>} the exit code
 */
async function main(folder) {
  const { args, projects, watch, ownReporter } = readArguments(process.argv.slice(2));

  const missing = ensurePeers({ inCI });
  if (inCI && missing.length > 0) {
    console.error("CI=true: everything the tests need must be there, so nothing was run.");
    return 1;
  }
  const withPostgres = !missing.some((peer) => peer.package === "postgresql");
  if (!withPostgres && projects.includes("postgres")) {
    console.error("--project postgres needs Postgres.");
    return 1;
  }

  if ((await node([join(server, "build.mjs"), "--when-stale"])) !== 0) {
    if (interrupted === undefined) console.error("The build failed, so nothing was run.");
    return 1;
  }
  if (interrupted !== undefined) return interrupted;

  // Files that a test or a browser leaves in the temporary folder are deleted with ours. Postgres, as another user, must be able to pass through it.
  const temporary = join(folder, "tmp");
  await mkdir(temporary);
  await chmod(folder, 0o711);
  await chmod(temporary, 0o1777);

  const postgres = withPostgres ? await startPostgresOfRun() : undefined;
  try {
    if (interrupted !== undefined) return interrupted;
    const env = { ...process.env, TMPDIR: temporary, ...(postgres && { GATEHOUSE_TEST_POSTGRES_URL: postgres.url }) };
    // Without Postgres its project is left out. While watching, the quick projects run unless others are named.
    const quick = ["--project=plain", `--project=${withPostgres ? "postgres" : "embedded"}`];
    const usual = watch ? quick : withPostgres ? [] : ["--project=!postgres"];
    const selection = projects.length > 0 ? [] : usual;
    if (watch) return await node([vitest, "watch", ...selection, ...args], { env, interactive: true });

    /** @param {string} name of the report @param {string[]} filters */
    const run = async (name, filters) => {
      const report = join(folder, `${name}.json`);
      const reporters = [...(ownReporter ? [] : ["--reporter=default"]), "--reporter=json", `--outputFile.json=${report}`];
      const code = await node([vitest, "run", ...reporters, ...selection, ...filters], { env });
      return { code, ...(interrupted === undefined ? await readReport(report) : { passed: 0, failed: 0, skipped: 0, failures: [] }) };
    };
    const first = await run("report", args);
    if (interrupted !== undefined) return interrupted;
    const { passed, failed, skipped, failures } = first;
    if (failures.length > 0) listFailures("Failed", failures);

    // A complete run in CI keeps both cores busy for a quarter of an hour. A failure counts there only if its file fails a second time, without the others.
    const files = [...new Set(failures.map(({ file }) => file))];
    if (inCI && args.length === 0 && files.length > 0 && files.length <= MOST_FILES_AGAIN) {
      const second = await run("second", files);
      if (interrupted !== undefined) return interrupted;
      if (second.code === 0 && second.passed > 0) {
        listFailures("Unstable: failed once and passed alone. Mend these", failures);
        console.log(`${passed + failed} passed, 0 failed, ${skipped} skipped`);
        return 0;
      }
      listFailures("Failed twice", second.failures);
    }

    const ran = passed + failed > 0;
    const onlyOutside = ran && failed === 0 && first.code !== 0;
    if (!ran) console.error("No test ran. Do the arguments name a test file?");
    if (onlyOutside) console.error("Every test passed, but something failed outside them (see above): that counts as one failure.");
    console.log(`${passed} passed, ${onlyOutside ? 1 : failed} failed, ${skipped} skipped`);
    return first.code || (failed > 0 || !ran ? 1 : 0);
  } finally {
    await postgres?.stop();
  }
}

const folder = await mkdtemp(join(tmpdir(), "gatehouse-test-"));
try {
  process.exitCode = await main(folder);
} finally {
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  if (interrupted !== undefined) process.exitCode = interrupted;
}
