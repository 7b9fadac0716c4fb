import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { openLdap } from "./find.mjs";
import { freePort, keep } from "./keeper.mjs";

const run = promisify(execFile);

export const SUFFIX = "dc=corp,dc=test";

/**
 * Returns the configuration. `cn=sync` may read everything without a limit, and set passwords. `cn=limited` gets only as many entries as Debian's default
 * allows. People may sign in.
 * @param {{ modules: string, schemas: string }} found
 * @param {string} folder
 * @param {boolean} verifyClient
 */
const configuration = ({ modules, schemas }, folder, verifyClient) => `
include ${schemas}/core.schema
include ${schemas}/cosine.schema
include ${schemas}/inetorgperson.schema
include ${schemas}/nis.schema
modulepath ${modules}
moduleload back_mdb.so
moduleload memberof.so
moduleload ppolicy.so
TLSCACertificateFile ${folder}/ca.pem
TLSCertificateFile ${folder}/cert.pem
TLSCertificateKeyFile ${folder}/key.pem
TLSVerifyClient ${verifyClient ? "demand" : "never"}
sizelimit 500
database mdb
suffix "${SUFFIX}"
rootdn "cn=root,${SUFFIX}"
rootpw root-password
directory ${folder}/data
maxsize 1073741824
dbnosync
index objectClass,uid,mail,entryUUID,modifyTimestamp,member eq
limits dn.exact="cn=sync,${SUFFIX}" size.soft=unlimited size.hard=unlimited size.unchecked=unlimited
overlay memberof
overlay ppolicy
ppolicy_default "cn=policy,${SUFFIX}"
ppolicy_use_lockout
access to attrs=userPassword,pwdReset by dn.exact="cn=sync,${SUFFIX}" write by anonymous auth by self write by * none
access to * by dn.exact="cn=sync,${SUFFIX}" read by dn.exact="cn=limited,${SUFFIX}" read by * none
`;

/** @param {string} name @param {string} password */
const account = (name, password) => `dn: cn=${name},${SUFFIX}
objectClass: organizationalRole
objectClass: simpleSecurityObject
cn: ${name}
userPassword: ${password}
`;

const BASE = [
  `dn: ${SUFFIX}\nobjectClass: dcObject\nobjectClass: organization\ndc: corp\no: Corp\n`,
  `dn: ou=people,${SUFFIX}\nobjectClass: organizationalUnit\nou: people\n`,
  `dn: ou=moved,${SUFFIX}\nobjectClass: organizationalUnit\nou: moved\n`,
  `dn: ou=groups,${SUFFIX}\nobjectClass: organizationalUnit\nou: groups\n`,
  `dn: cn=policy,${SUFFIX}\nobjectClass: organizationalRole\nobjectClass: pwdPolicy\ncn: policy\npwdAttribute: 2.5.4.35\npwdMustChange: TRUE\npwdMinLength: 6\npwdCheckQuality: 1\n`,
  account("sync", "sync-password"),
  account("limited", "limited-password"),
];

/** @typedef {{
 *   port: number, tlsPort: number, url: string, tlsUrl: string, suffix: string,
 *   apply: (ldif: string) => Promise<void>, log: () => string, stop: () => Promise<void>,
 * }} RunningOpenLdap */

/**
 * Starts a private OpenLDAP on loopback with `ou=people`, `ou=moved` and `ou=groups` below dc=corp,dc=test, and the entries given as LDIF. Its log has a line
 * for each operation. `apply` applies LDIF changes as root. With `verifyClient`, TLS requires a certificate of `ca`.
 * @param {{ identity: { cert: string, key: string }, ca: string, ldif?: string, verifyClient?: boolean }} options
 * @returns {Promise<RunningOpenLdap>}
 */
export async function startOpenLdap({ identity, ca, ldif = "", verifyClient = false }) {
  const found = openLdap();
  if (!found) throw new Error("OpenLDAP is not installed. On Debian or Ubuntu: sudo apt-get install slapd ldap-utils");
  const folder = await mkdtemp(join(tmpdir(), "gatehouse-ldap-"));
  await mkdir(join(folder, "data"));
  const config = join(folder, "slapd.conf");
  await Promise.all([
    writeFile(config, configuration(found, folder, verifyClient)),
    writeFile(join(folder, "ca.pem"), ca),
    writeFile(join(folder, "cert.pem"), identity.cert),
    writeFile(join(folder, "key.pem"), identity.key, { mode: 0o600 }),
    writeFile(join(folder, "base.ldif"), `${BASE.join("\n")}\n${ldif}\n`),
  ]);
  await run(found.slapadd, ["-q", "-f", config, "-l", join(folder, "base.ldif")]);
  const [port, tlsPort] = [await freePort(), await freePort()];
  const [url, tlsUrl] = [`ldap://127.0.0.1:${port}`, `ldaps://127.0.0.1:${tlsPort}`];
  const { stop, log } = await keep({
    name: "OpenLDAP",
    folder,
    command: [found.slapd, "-f", config, "-h", `${url} ${tlsUrl}`, "-d", "stats"],
    signal: "INT",
    isReady: () => accepts("127.0.0.1", tlsPort),
  });
  const apply = (/** @type {string} */ changes) => ldapmodify(["-H", url, "-D", `cn=root,${SUFFIX}`, "-w", "root-password"], changes);
  return { port, tlsPort, url, tlsUrl, suffix: SUFFIX, apply, log, stop };
}

/**
 * Runs OpenLDAP's own client with LDIF that has `changetype`.
 * @param {string[]} args
 * @param {string} changes
 */
export async function ldapmodify(args, changes) {
  const found = openLdap();
  if (!found) throw new Error("ldapmodify is not installed. On Debian or Ubuntu: sudo apt-get install ldap-utils");
  const child = spawn(found.ldapmodify, ["-x", ...args], {
    stdio: ["pipe", "ignore", "pipe"],
    // The peer's certificate is not under test here.
    env: { ...process.env, LDAPTLS_REQCERT: "never" },
  });
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (text) => {
    errors += text;
  });
  child.stdin.end(changes);
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error(`ldapmodify failed: ${errors}`);
}

/** @param {string} host @param {number} port @returns {Promise<boolean>} */
export function accepts(host, port) {
  return new Promise((resolve) => {
    const socket = connect(port, host);
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}
