import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { sambaDomain } from "./find.mjs";
import { keep } from "./keeper.mjs";
import { accepts, ldapmodify } from "./openldap.mjs";

const run = promisify(execFile);

export const DOMAIN_SUFFIX = "DC=corp,DC=test";
export const ADMIN_PASSWORD = "Admin-Passw0rd!";
const CACHE = join(dirname(dirname(dirname(fileURLToPath(import.meta.url)))), ".cache");

/** @typedef {{
 *   host: string, url: string, plainUrl: string, suffix: string,
 *   apply: (ldif: string) => Promise<void>,
 *   tool: (...args: string[]) => Promise<string>,
 *   sam: (ldif: string) => Promise<void>,
 *   log: () => string, stop: () => Promise<void>,
 * }} RunningDomain */

/**
 * Returns an empty domain, which is made once per version of Samba and copied for each controller, because making one takes half a minute.
 * @param {{ samba: string, tool: string }} found
 */
async function template({ samba, tool }) {
  const { stdout } = await run(samba, ["--version"]);
  const ready = join(CACHE, `domain-${stdout.trim().replace(/[^0-9a-z.-]+/gi, "-")}`);
  if (existsSync(ready)) return ready;
  await mkdir(CACHE, { recursive: true });
  const making = await mkdtemp(join(CACHE, "making-domain-"));
  try {
    const args = ["--realm=CORP.TEST", "--domain=CORP", "--server-role=dc", "--dns-backend=NONE", "--host-name=dc1", "--host-ip=127.0.0.1"];
    const options = ["interfaces=lo", "bind interfaces only=yes", "vfs objects="].map((option) => `--option=${option}`);
    await run(tool, [
      "domain",
      "provision",
      `--targetdir=${making}`,
      `--adminpass=${ADMIN_PASSWORD}`,
      "--use-rfc2307",
      ...args,
      ...options,
    ]);
    // The first process to finish succeeds; a domain that was made at the same time is not needed.
    await rename(making, ready).catch((error) => {
      if (!existsSync(ready)) throw error;
    });
  } finally {
    await rm(making, { recursive: true, force: true });
  }
  return ready;
}

/** @param {string} folder @param {string} host */
const configuration = (folder, host) => `[global]
netbios name = DC1
realm = CORP.TEST
workgroup = CORP
server role = active directory domain controller
server services = ldap
interfaces = ${host}/8
bind interfaces only = yes
vfs objects =
idmap_ldb:use rfc2307 = yes
old password allowed period = 0
ldb:nosync = true
private dir = ${folder}/private
lock directory = ${folder}/lock
state directory = ${folder}/state
cache directory = ${folder}/cache
pid directory = ${folder}/pid
binddns dir = ${folder}/bind-dns
tls enabled = yes
tls keyfile = ${folder}/key.pem
tls certfile = ${folder}/cert.pem
tls cafile = ${folder}/ca.pem
`;

/**
 * Starts a private domain controller of Active Directory (Samba) with an empty domain. Its ports are fixed, so each has its own loopback address. `apply`
 * applies LDIF changes as Administrator; `sam` writes into its database, also what no client may write.
 * @param {{ identity: { cert: string, key: string }, ca: string, host?: string }} options
 * @returns {Promise<RunningDomain>}
 */
export async function startDomain({ identity, ca, host = `127.0.${process.pid & 255}.${2 + ((process.pid >> 8) % 250)}` }) {
  const found = sambaDomain();
  if (!found) throw new Error("Samba is not installed as a domain controller, or this is not root");
  const made = await template(found);
  const folder = await mkdtemp(join(tmpdir(), "gatehouse-ad-"));
  await cp(made, folder, { recursive: true });
  const config = join(folder, "smb.conf");
  await Promise.all([
    writeFile(config, configuration(folder, host)),
    writeFile(join(folder, "ca.pem"), ca),
    writeFile(join(folder, "cert.pem"), identity.cert),
    writeFile(join(folder, "key.pem"), identity.key, { mode: 0o600 }),
    ...["lock", "state", "cache", "pid"].map((name) => mkdir(join(folder, name), { recursive: true })),
  ]);
  const { stop, log } = await keep({
    name: "Samba",
    folder,
    command: [found.samba, "-s", config, "-M", "single", "-i", "--debug-stdout"],
    signal: "TERM",
    isReady: () => accepts(host, 636),
  });
  const url = `ldaps://${host}:636`;
  const sam = `${folder}/private/sam.ldb`;
  return {
    host,
    url,
    plainUrl: `ldap://${host}:389`,
    suffix: DOMAIN_SUFFIX,
    apply: (changes) => ldapmodify(["-H", url, "-D", `CN=Administrator,CN=Users,${DOMAIN_SUFFIX}`, "-w", ADMIN_PASSWORD], changes),
    tool: async (...args) => (await run(found.tool, [...args, "-H", sam, "-s", config])).stdout,
    async sam(changes) {
      const file = join(folder, "changes.ldif");
      await writeFile(file, changes);
      await run("ldbmodify", ["-H", sam, "--controls=local_oid:1.3.6.1.4.1.7165.4.3.20:0", file]);
    },
    log,
    stop,
  };
}
