import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { rows } from "./rows.mjs";

/** These parts run on request only, because it takes minutes to fill a database with ten million events or a million users. */
const ON_REQUEST = ["events", "directory", "tokens", "signin", "saml", "ldap", "brokers", "machines", "authz", "provisioning", "console"];
const PARTS = [...rows.map(({ id }) => id), "start", "memory", ...ON_REQUEST];

export const HELP = `npm run bench -- [options] [parts]

  --rounds <n>       rounds of each row, in turn with the others (5)
  --seconds <s>      seconds of each round (1.5)
  --connections <n>  concurrent requests (16)
  --only <names>     only these parts, separated by commas, with the limits that judge them
                     ${PARTS.slice(0, 6).join(", ")},
                     ${PARTS.slice(6, -ON_REQUEST.length).join(", ")}
                     These run only when they are named:
                       events        the audit trail: some minutes, 7 GB of disk
                       directory     lists of users: a quarter of an hour, 4 GB of disk
                       tokens        token requests beside their signatures: some minutes
                       signin        sign-ins by the code flow, and a flood of passwords: some minutes
                       saml          SAML messages beside their signatures, and SSO requests beside OIDC
                       ldap          sign-ins by a directory, and an unchanged sync; needs OpenLDAP
                       brokers       sign-ins by an OpenID provider, and sign-in pages with many of them
                       machines      tokens of agents and workloads beside those of plain clients
                       authz         decisions among 100,000 resources beside those among 100
                       provisioning  SCIM, export and import among a million users: half an hour, 8 GB of disk
                       console       the console's first screen and long lists; needs Chromium
  --entries <n>      entries of the directory of ldap (100000)
  --events <n>       events of the large audit trail (10000000)
  --users <n>        users of the large realm (1000000)
  --realms <n>       realms beside it (10000)
  --compare <file>   also measure another build (its dist/main.js) in turn with this one; may be given several times.
                     With tokens and signin, only the requests themselves, to this build and to the first of these
  --profile <folder> let the server write a CPU profile there when it stops
  --json             print the figures as JSON instead of the table
  --help`;

/**
 * @typedef {object} Options
 * @property {number} rounds
 * @property {number} seconds
 * @property {number} connections
 * @property {(typeof rows)[number][]} rows the rows to measure, in the order of the table
 * @property {boolean} starts
 * @property {boolean} memory
 * @property {number} events the size of the large trail; 0 = not measured
 * @property {{ users: number, realms: number } | null} directory the size of the large directory; null = not measured
 * @property {{ realms: number } | null} tokens the number of realms; null = not measured
 * @property {boolean} signin
 * @property {boolean} saml
 * @property {{ entries: number } | null} ldap the size of the directory; null = not measured
 * @property {boolean} brokers
 * @property {boolean} machines
 * @property {boolean} authz
 * @property {{ users: number } | null} provisioning the size of the large realm; null = not measured
 * @property {{ users: number, realms: number } | null} console the length of its lists; null = not measured
 * @property {string[]} compare
 * @property {string | undefined} profile
 * @property {boolean} json
 * @property {boolean} help
 */

export class UsageError extends Error {}

/** @param {string[]} args @returns {Options} */
export function readOptions(args) {
  const { values, positionals } = parse(args);
  const named = [...positionals, ...(values.only?.split(",").map((name) => name.trim()) ?? [])];
  const only = named.length > 0 ? named : undefined;
  const unknown = only?.find((name) => !PARTS.includes(name));
  if (unknown !== undefined) throw new UsageError(`There is nothing called "${unknown}" to measure. Known: ${PARTS.join(", ")}`);
  const selected = new Set(only ?? PARTS.filter((name) => !ON_REQUEST.includes(name)));
  for (const row of rows) if (selected.has(row.id) && "against" in row) selected.add(row.against);
  return {
    rounds: positive("rounds", values.rounds),
    seconds: positive("seconds", values.seconds),
    connections: positive("connections", values.connections),
    rows: rows.filter(({ id }) => selected.has(id)),
    starts: selected.has("start"),
    memory: selected.has("memory"),
    events: selected.has("events") ? positive("events", values.events) : 0,
    directory: selected.has("directory") ? { users: positive("users", values.users), realms: positive("realms", values.realms) } : null,
    tokens: selected.has("tokens") ? { realms: positive("realms", values.realms) } : null,
    signin: selected.has("signin"),
    saml: selected.has("saml"),
    ldap: selected.has("ldap") ? { entries: positive("entries", values.entries) } : null,
    brokers: selected.has("brokers"),
    machines: selected.has("machines"),
    authz: selected.has("authz"),
    provisioning: selected.has("provisioning") ? { users: positive("users", values.users) } : null,
    console: selected.has("console") ? { users: positive("users", values.users), realms: positive("realms", values.realms) } : null,
    // npm runs this in server/, but paths are relative to the folder of the caller.
    compare: values.compare.map((file) => resolve(process.env.INIT_CWD ?? ".", file)),
    profile: values.profile && resolve(process.env.INIT_CWD ?? ".", values.profile),
    json: values.json,
    help: values.help,
  };
}

/** @param {string[]} args */
function parse(args) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        rounds: { type: "string", default: "5" },
        seconds: { type: "string", default: "1.5" },
        connections: { type: "string", default: "16" },
        only: { type: "string" },
        events: { type: "string", default: "10000000" },
        users: { type: "string", default: "1000000" },
        realms: { type: "string", default: "10000" },
        entries: { type: "string", default: "100000" },
        compare: { type: "string", multiple: true, default: [] },
        profile: { type: "string" },
        json: { type: "boolean", default: false },
        help: { type: "boolean", default: false },
      },
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

/** @param {string} name @param {string} text */
function positive(name, text) {
  const value = Number(text);
  const whole = name === "seconds" || Number.isInteger(value);
  if (!(value > 0) || !whole) throw new UsageError(`--${name} takes a number above zero, not "${text}"`);
  return value;
}
