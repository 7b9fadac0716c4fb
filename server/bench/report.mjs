// Prints the figures for people.
import { MAX_RATIO as MAX_GROWTH, SMALL } from "./directory.mjs";
import { MIN_SHARE } from "./directory-import.mjs";
import { MAX_RATIO } from "./events.mjs";
import { MAX_WAIT } from "./signin.mjs";
import { MAX_DELAY } from "./tokens.mjs";

/** @typedef {{ name: string, value: number | null, unit: "s" | "MB" | "%" | "ms" | "×" | "requests", target: number | null }} Figure */
/**
 * @typedef {object} Report
 * @property {Record<string, string | number>} machine
 * @property {import("./rounds.mjs").Line[]} rows
 * @property {Figure[]} figures
 * @property {import("./events.mjs").EventsLine[]} events
 * @property {import("./directory.mjs").Directory | null} directory
 * @property {import("./rounds.mjs").Line[]} builds
 * @property {import("./tokens.mjs").Tokens | null} tokens
 * @property {import("./signin.mjs").SignIns | null} signIns
 * @property {import("./rounds.mjs").Line[]} saml
 * @property {import("./ldap.mjs").Ldap | null} ldap
 * @property {import("./rounds.mjs").Line[]} brokers
 * @property {import("./rounds.mjs").Line[]} machines
 * @property {import("./rounds.mjs").Line[]} authz
 * @property {import("./provisioning.mjs").Provisioning | null} provisioning
 */

/** @param {number | null} value the measured value @param {number | null} target */
export const verdict = (value, target) => (value === null || target === null ? null : value <= target ? "met" : "missed");

/** @param {Report} report */
export function asText({
  machine,
  rows,
  figures,
  events,
  directory,
  builds,
  tokens,
  signIns,
  saml,
  ldap,
  brokers,
  machines,
  authz,
  provisioning,
}) {
  const parts = [
    Object.entries(machine)
      .map(([name, value]) => `${name}: ${value}`)
      .join("\n"),
  ];
  if (rows.length > 0) parts.push(rowTable(rows));
  if (figures.length > 0) parts.push(figureTable(figures));
  if (events.length > 0) parts.push(eventsTable(events));
  if (directory) parts.push(directoryTable(directory), importLine(directory.imports));
  if (builds.length > 0) parts.push(rowTable(builds));
  if (tokens) parts.push(rowTable(tokens.lines), tokenLines(tokens));
  if (signIns) parts.push(rowTable(signIns.lines), floodLine(signIns.flood));
  if (saml.length > 0) parts.push(rowTable(saml));
  if (ldap) parts.push(rowTable(ldap.lines), measureLines(ldap.measures));
  if (brokers.length > 0) parts.push(rowTable(brokers));
  if (machines.length > 0) parts.push(rowTable(machines));
  if (authz.length > 0) parts.push(rowTable(authz));
  if (provisioning) parts.push(rowTable(provisioning.lines), measureLines(provisioning.measures));
  return parts.join("\n\n");
}

/** @param {import("./ldap.mjs").Measure[]} measures */
const measureLines = (measures) =>
  measures
    .map(({ name, value, unit, target, isLeast }) => {
      const judged = isLeast ? `≥ ${target}: ${verdict(-value, -target)}` : `≤ ${target}: ${verdict(value, target)}`;
      return `${name}: ${value.toFixed(2)} ${unit} (${judged})`;
    })
    .join("\n");

/** @param {import("./tokens.mjs").Tokens} tokens */
const tokenLines = ({ delay, memoryMb, realms }) =>
  [
    `event loop, p99 of its delay under full load: ${delay.own.toFixed(1)} ms, of an empty route that signs as much ${delay.empty.toFixed(1)} ms; ratio ${delay.ratio.toFixed(2)} (≤ ${MAX_DELAY}: ${verdict(delay.ratio, MAX_DELAY)})`,
    `memory of the server with ${realms.toLocaleString("en")} realms after the load: ${number(memoryMb, 0)} MB`,
  ].join("\n");

/** @param {import("./signin.mjs").SignIns["flood"]} flood */
const floodLine = ({ rate, signedIn, busy, busyWithoutRetryAfter, other, own, empty, ratio }) =>
  `${rate} passwords a second: ${signedIn} signed in, ${busy} refused with 503 (${busyWithoutRetryAfter} without Retry-After), ${other} other answers; meanwhile p99 of JWKS ${own.toFixed(1)} ms, of an empty route beside as many hashes ${empty.toFixed(1)} ms; ratio ${ratio.toFixed(2)} (≤ ${MAX_WAIT}: ${verdict(ratio, MAX_WAIT)})`;

/** @param {import("./rounds.mjs").Line[]} rows */
function rowTable(rows) {
  const titleOf = (/** @type {string | null} */ id) => rows.find((row) => row.id === id)?.title ?? "";
  const head = ["", "per second", "CPU ms", "spread", "database CPU ms", "× limit (CPU)", "limit", "target", "p50 ms", "p99 ms"];
  const body = rows.map((row) => [
    row.build ? `${row.title} [${row.build}]` : row.title,
    row.rate.toFixed(row.rate < 100 ? 1 : 0),
    number(row.cpuMs, 3),
    row.cpuSpread === null ? "–" : `${Math.round(row.cpuSpread * 100)} %`,
    number(row.dbCpuMs, 3),
    number(row.ratio, 2),
    titleOf(row.against),
    row.target === null ? "" : `≤ ${row.target}: ${verdict(row.ratio, row.target) ?? "not measured"}`,
    row.p50.toFixed(1),
    row.p99.toFixed(1),
  ]);
  return table(head, body, new Set([0, 6, 7]));
}

/** @param {Figure[]} figures */
function figureTable(figures) {
  const digits = { s: 2, MB: 0, "%": 1, ms: 0, "×": 2, requests: 0 };
  const body = figures.map(({ name, value, unit, target }) => [
    name,
    value === null ? "–" : `${value.toFixed(digits[unit])} ${unit}`,
    target === null ? "" : `≤ ${target} ${unit}: ${verdict(value, target) ?? "not measured"}`,
  ]);
  return table(["", "median", "target"], body, new Set([0, 2]));
}

/** @param {import("./events.mjs").EventsLine[]} events */
function eventsTable(events) {
  const body = events.map(({ title, small, large, ratio, found }) => [
    title,
    number(small, 2),
    number(large, 2),
    number(ratio, 2),
    `≤ ${MAX_RATIO}: ${verdict(ratio, MAX_RATIO)}`,
    found,
  ]);
  return table(["GET /events", "small ms", "large ms", "ratio", "target", "found (small / large)"], body, new Set([0, 4, 5]));
}

/** @param {import("./directory.mjs").Directory} directory */
function directoryTable({ users, realms, lines }) {
  const body = lines.map(({ title, small, large, largeRatio, realmsRatio }) => [
    title,
    number(small.cpu, 2),
    number(small.db, 2),
    number(large.cpu, 2),
    number(large.db, 2),
    number(largeRatio.cpu, 2),
    number(largeRatio.db, 2),
    number(realmsRatio.cpu, 2),
    number(realmsRatio.db, 2),
    `≤ ${MAX_GROWTH}: ${verdict(worst([largeRatio, realmsRatio].flatMap(({ cpu, db }) => [cpu, db])), MAX_GROWTH) ?? "not measured"}`,
  ]);
  const count = (/** @type {number} */ n) => n.toLocaleString("en");
  const head = [
    "users: ms of CPU, server and database",
    count(Math.min(SMALL, users)),
    "db",
    count(users),
    "db",
    "ratio",
    "db",
    `+${count(realms)} realms`,
    "db",
    "target",
  ];
  return table(head, body, new Set([0, 9]));
}

/** @param {(number | null)[]} ratios */
const worst = (ratios) => (ratios.some((ratio) => ratio === null) ? null : Math.max(...ratios.filter((ratio) => ratio !== null)));

/** @param {import("./directory-import.mjs").ImportFigures} imports */
const importLine = ({ rows, bare, imported, share }) =>
  `import of users with ready hashes, ${rows.toLocaleString("en")} at a time: ${Math.round(imported)} a second, bare INSERTs ${Math.round(bare)}; ` +
  `ratio ${share.toFixed(2)} (≥ ${MIN_SHARE}: ${share >= MIN_SHARE ? "met" : "missed"})`;

/** @param {number | null} value @param {number} digits */
const number = (value, digits) => (value === null ? "–" : value.toFixed(digits));

/** @param {string[]} head @param {string[][]} body @param {Set<number>} left the columns of words, aligned to the left */
function table(head, body, left) {
  const widths = head.map((title, column) => Math.max(title.length, ...body.map((cells) => (cells[column] ?? "").length)));
  const line = (/** @type {string[]} */ cells) =>
    cells
      .map((cell, column) => (left.has(column) ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join("  ")
      .trimEnd();
  return [line(head), line(widths.map((width) => "─".repeat(width))), ...body.map(line)].join("\n");
}
