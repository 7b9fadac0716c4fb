// Checks that package-lock.json serves every machine and release of Node that we promise. It reads only the lock, so it covers platforms that no machine here
// has. --self-test shows it an offence against each rule, which it must refuse.
import { readFileSync } from "node:fs";

/** The platforms for which every package with machine code must be locked. Linux without a suffix is glibc. */
const PLATFORMS = ["linux-x64", "linux-arm64", "linux-x64-musl", "linux-arm64-musl", "darwin-arm64", "darwin-x64", "win32-x64"];
const OLDEST_NODE = [20, 19, 0];
/** Packages that are linked statically: their build for Linux needs no C library, so it serves musl, too. */
const WITHOUT_LIBC = ["typescript"];

/** @typedef {{ name?: string, version?: string, optionalDependencies?: Record<string, string>, engines?: { node?: string } | string[] }} Locked */
/** @typedef {{ packages: Record<string, Locked> }} Lock */

/** Returns the platform that a package is built for, by its name, or undefined if it names none. @param {string} name */
function platformOf(name) {
  const [, os] = /(?:^|[^a-z])(linux|darwin|win32)(?=[^a-z]|$)/.exec(name) ?? [];
  const [, cpu] = /(?:^|[^a-z0-9])(x64|arm64)(?=[^a-z0-9]|$)/.exec(name) ?? [];
  return os && cpu && `${os}-${cpu}${os === "linux" && /musl/.test(name) ? "-musl" : ""}`;
}

/** Checks that the lock has all builds of a package that has a build for each platform, as optional dependencies. @param {Lock} lock */
function checkPlatforms({ packages }) {
  const paths = Object.keys(packages);
  return paths.flatMap((path) => {
    const builds = Object.keys(packages[path]?.optionalDependencies ?? {}).filter(platformOf);
    if (builds.length < 2) return [];
    const locked = new Set(builds.filter((build) => paths.some((other) => other.endsWith(`node_modules/${build}`))).map(platformOf));
    const anyLibc = WITHOUT_LIBC.includes(packages[path]?.name ?? "");
    const missing = PLATFORMS.filter((platform) => !locked.has(anyLibc ? platform.replace("-musl", "") : platform));
    if (missing.length === 0) return [];
    return `${titleOf(path, packages)}: the lock has no build for ${missing.join(", ")}. Choose a version whose builds were all published.`;
  });
}

/** @param {Lock} lock */
function checkEngines({ packages }) {
  return Object.entries(packages).flatMap(([path, { engines }]) => {
    const range = Array.isArray(engines) ? undefined : engines?.node;
    if (range === undefined || admits(range, OLDEST_NODE)) return [];
    return `${titleOf(path, packages)}: wants Node ${range}, and we promise ${OLDEST_NODE.join(".")}. Choose an older version of it.`;
  });
}

/** @param {string} path @param {Lock["packages"]} packages */
const titleOf = (path, packages) => `${path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length)}@${packages[path]?.version}`;

/** Tells whether a range of npm admits a version. A range that cannot be read admits none. @param {string} range @param {number[]} version */
function admits(range, version) {
  return range.split("||").some((alternative) => {
    const hyphen = /^\s*(\S+)\s+-\s+(\S+)\s*$/.exec(alternative);
    const text = hyphen ? `>=${hyphen[1]} <=${hyphen[2]}` : alternative;
    const comparators = text
      .replaceAll(/([<>=^~])\s+/g, "$1")
      .trim()
      .split(/\s+/);
    return comparators.every((comparator) => fits(comparator, version));
  });
}

/** @param {string} comparator such as ">=18", "^20.19.0" or "20.x" @param {number[]} version */
function fits(comparator, version) {
  if (/^[*x]?$/i.test(comparator)) return true;
  const [, operator = "", text = ""] = /^(>=|<=|>|<|=|\^|~)?v?(\d+(?:[.](?:\d+|[x*]))*)/i.exec(comparator) ?? [];
  const named = text
    .split(".")
    .filter((part) => /^\d+$/.test(part))
    .map(Number);
  if (named.length === 0) return false;
  const low = [0, 1, 2].map((i) => named[i] ?? 0);
  // The index of the part that ends the range: the next version of the last part that is named, or of the part that the operator lets grow.
  const grows =
    operator === "^"
      ? Math.max(
          0,
          low.findIndex((part) => part > 0),
        )
      : Math.min(named.length - 1, operator === "~" ? 1 : 2);
  const end = low.map((part, i) => (i < grows ? part : i === grows ? part + 1 : 0));
  if (operator === ">=") return compare(version, low) >= 0;
  if (operator === "<") return compare(version, low) < 0;
  if (operator === ">") return compare(version, end) >= 0;
  if (operator === "<=") return compare(version, end) < 0;
  return compare(version, low) >= 0 && compare(version, end) < 0;
}

/** @param {number[]} a @param {number[]} b */
const compare = (a, b) => a.map((part, i) => part - (b[i] ?? 0)).find((difference) => difference !== 0) ?? 0;

function selfTest() {
  /** @param {string[]} platforms @returns {Lock} a lock of one package with machine code, built for these */
  const lockOf = (platforms) => {
    const all = [...PLATFORMS, "freebsd-x64"].map((platform) => `@swift/binding-${platform}`);
    const builds = Object.fromEntries(all.map((name) => [name, "1.0.0"]));
    const locked = platforms.map((platform) => [`node_modules/@swift/binding-${platform}`, { version: "1.0.0" }]);
    return { packages: { "node_modules/swift": { version: "1.0.0", optionalDependencies: builds }, ...Object.fromEntries(locked) } };
  };
  const glibcOnly = lockOf(PLATFORMS.filter((platform) => !platform.endsWith("-musl")));
  const statically = JSON.parse(JSON.stringify(glibcOnly).replace('"node_modules/swift":{', `$&"name":"${WITHOUT_LIBC[0]}",`));
  /** @param {string} node @returns {Lock} */
  const wanting = (node) => ({ packages: { "node_modules/swift": { version: "1.0.0", engines: { node } } } });
  /** @type {[name: string, problems: string[], refused: boolean][]} */
  const cases = [
    ["every platform", checkPlatforms(lockOf(PLATFORMS)), false],
    ["a program without a C library", checkPlatforms(statically), false],
    ["names of glibc", checkPlatforms(JSON.parse(JSON.stringify(lockOf(PLATFORMS)).replaceAll('linux-x64"', 'linux-x64-gnu"'))), false],
    ...PLATFORMS.map(
      (missing) =>
        /** @type {[string, string[], boolean]} */ ([
          `a lock without ${missing}`,
          checkPlatforms(lockOf(PLATFORMS.filter((platform) => platform !== missing))),
          true,
        ]),
    ),
    ...[">=20", ">= 10", "*", "20.x", "^18.17 || ^20.19.0 || >=22.12.0", "~20.19", ">=18 <23", "14 - 20", "v20", ">=0.10.0"].map(
      (range) => /** @type {[string, string[], boolean]} */ ([`Node ${range}`, checkEngines(wanting(range)), false]),
    ),
    ...[">=22", "^22.13.0 || >=24", ">=20.20", ">20", "<20", "18.x || 22", "^18", "~20.18.1", "<=20.18", "18 - 19", "lts"].map(
      (range) => /** @type {[string, string[], boolean]} */ ([`Node ${range}`, checkEngines(wanting(range)), true]),
    ),
  ];
  return cases
    .filter(([, problems, refused]) => problems.length > 0 !== refused)
    .map(([name, , refused]) => `the check of the lock ${refused ? "did not refuse" : "refused"}: ${name}`);
}

/** @returns {string[]} */
function checkLock() {
  const lock = JSON.parse(readFileSync(new URL("../../package-lock.json", import.meta.url), "utf8"));
  const families = Object.values(/** @type {Lock} */ (lock).packages).filter(
    ({ optionalDependencies = {} }) => Object.keys(optionalDependencies).filter(platformOf).length > 1,
  );
  // There is machine code in the lock, so a check that finds none has stopped working.
  const blind = families.length === 0 ? ["package-lock.json: no package with machine code was found"] : [];
  return [...blind, ...checkPlatforms(lock), ...checkEngines(lock)];
}

const isSelfTest = process.argv.includes("--self-test");
const problems = isSelfTest ? selfTest() : checkLock();
for (const problem of problems) console.error(problem);
if (problems.length === 0)
  console.log(isSelfTest ? "The check of the lock refuses what it should." : "The lock serves every platform and Node 20.19.");
process.exitCode = problems.length === 0 ? 0 : 1;
