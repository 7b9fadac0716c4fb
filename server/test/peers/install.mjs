import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { onPath, peers } from "./find.mjs";

const missingPeers = () => peers.filter((peer) => !peer.find());

/** Tells whether this may install packages: only root may, and apt-get is the only installer whose package names we know. */
const mayInstall = () => process.getuid?.() === 0 && existsSync("/etc/debian_version") && onPath("apt-get") !== undefined;

/** @param {string[]} args */
function aptGet(args) {
  const options = ["-qq", "-o", "Acquire::Retries=3", "-o", "DPkg::Lock::Timeout=120", "-o", "Dpkg::Use-Pty=0"];
  const { status, error } = spawnSync("apt-get", [...options, ...args], {
    // apt's output goes to stderr, so that stdout has only the report of the tests.
    stdio: ["ignore", 2, 2],
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
  });
  return status === 0 && error === undefined;
}

/** Runs apt-get several times, because mirrors fail now and then, even during an install. The next attempt continues it. @param {string[]} args */
function persistently(args) {
  for (let attempt = 1; attempt <= 3; attempt++) {
    if (aptGet(args)) return true;
    console.error(`apt-get ${args.join(" ")}: attempt ${attempt} of 3 failed`);
  }
  return false;
}

/**
 * Installs all at once, which is quicker. If that fails, it installs one at a time, so that an unknown package does not stop others.
 * @param {string[]} packages
 */
function install(packages) {
  if (!persistently(["update"])) return;
  const command = ["install", "-y", "--no-install-recommends"];
  if (aptGet([...command, ...packages.flatMap((names) => names.split(" "))])) return;
  for (const names of packages) persistently([...command, ...names.split(" ")]);
}

/**
 * Finds the peers, installs missing ones if it may, and reports what is still missing and what cannot be tested without it.
 * @param {{ inCI: boolean }} options
 * @returns {typeof peers} what is missing
 */
export function ensurePeers({ inCI }) {
  const expected = peers.filter((peer) => !((inCI && peer.quickest) || peer.find)()).map((peer) => peer.package);
  if (expected.length > 0 && mayInstall()) {
    console.log(`Installing what the tests need: ${expected.join(", ")}`);
    install(expected);
  }
  const missing = missingPeers();
  for (const peer of missing) {
    console.log(
      `${peer.name} is missing: ${peer.lost} ${inCI ? "cannot run" : "will be skipped"}. On Debian or Ubuntu: sudo apt-get install ${peer.package}`,
    );
  }
  return missing;
}
