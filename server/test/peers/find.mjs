import { spawnSync } from "node:child_process";
import { accessSync, constants, existsSync, readdirSync } from "node:fs";
import { delimiter, join } from "node:path";

/** @param {string} file */
function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns the first of these commands that is on PATH.
 * @param {string[]} names
 * @returns {string | undefined}
 */
export function onPath(...names) {
  const folders = (process.env.PATH ?? "").split(delimiter).filter(Boolean);
  // Debian keeps servers in /usr/sbin, which is not on every user's PATH.
  return names.flatMap((name) => [...folders, "/usr/sbin"].map((folder) => join(folder, name))).find(isExecutable);
}

/**
 * Returns the folder with `initdb` and `postgres`. Debian has one per major version, none of them on PATH; the newest is used.
 * @returns {string | undefined}
 */
export function postgresBin() {
  const debian = "/usr/lib/postgresql";
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [...versions.map((version) => join(debian, version, "bin")), ...(process.env.PATH ?? "").split(delimiter)];
  return folders.find((folder) => folder && isExecutable(join(folder, "initdb")) && isExecutable(join(folder, "postgres")));
}

/** @returns {string | undefined} */
export const redisServerPath = () => onPath("redis-server", "valkey-server");

/** @returns {string | undefined} */
export const pgbouncerPath = () => onPath("pgbouncer");

/** Returns Chromium without windows, which needs less than half of the computing time for the same pages. @returns {string | undefined} */
const headlessShellPath = () => onPath("chromium-headless-shell");

/** @returns {string | undefined} */
export function chromiumPath() {
  const mac = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome";
  const whole = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
  return headlessShellPath() ?? onPath(...whole) ?? (isExecutable(mac) ? mac : undefined);
}

const APACHE_MODULES = "/usr/lib/apache2/modules";

/**
 * Returns Apache with mod_auth_openidc. The module brings Debian's apache2-bin, which has the programs without a service that starts by itself.
 * @returns {{ program: string, modules: string } | undefined}
 */
export function apacheWithOpenidc() {
  const program = onPath("apache2");
  return program && existsSync(join(APACHE_MODULES, "mod_auth_openidc.so")) ? { program, modules: APACHE_MODULES } : undefined;
}

/** Returns Apache with mod_shib, and the daemon of mod_shib. @returns {{ program: string, modules: string, shibd: string } | undefined} */
export function apacheWithShibboleth() {
  const [program, shibd] = [onPath("apache2"), onPath("shibd")];
  return program && shibd && existsSync(join(APACHE_MODULES, "mod_shib.so")) ? { program, modules: APACHE_MODULES, shibd } : undefined;
}

/**
 * Returns Apache with mod_auth_mellon, and the command that makes its key and metadata.
 * @returns {{ program: string, modules: string, createMetadata: string } | undefined}
 */
export function apacheWithMellon() {
  const [program, createMetadata] = [onPath("apache2"), onPath("mellon_create_metadata")];
  const found = program && createMetadata && existsSync(join(APACHE_MODULES, "mod_auth_mellon.so"));
  return found ? { program, modules: APACHE_MODULES, createMetadata } : undefined;
}

/** Returns SimpleSAMLphp, and PHP with the extensions that it needs. @returns {{ php: string, folder: string } | undefined} */
export function simpleSamlPhp() {
  const php = onPath("php");
  const folder = folderWith("/usr/share/simplesamlphp", "www/module.php");
  if (!php || !folder) return undefined;
  const extensions = spawnSync(php, ["-m"], { encoding: "utf8" }).stdout.split("\n");
  return ["dom", "pdo_sqlite", "openssl", "soap"].every((name) => extensions.includes(name)) ? { php, folder } : undefined;
}

/** Returns a Python that has pysaml2. @returns {string | undefined} */
export const pysaml2Python = () =>
  folderWith("/usr/lib/python3/dist-packages/saml2", "__init__.py") && xmlsecPath() ? "/usr/bin/python3" : undefined;

/** @returns {string | undefined} */
export const xmlsecPath = () => onPath("xmlsec1");

/** @returns {string | undefined} */
export const xmllintPath = () => onPath("xmllint");

/** @param {string} folder @param {string} file */
const folderWith = (folder, file) => (existsSync(join(folder, file)) ? folder : undefined);

/** Returns the folder with the SAML schemas of OASIS. @returns {string | undefined} */
export const oasisSchemas = () => folderWith("/usr/share/xml/opensaml", "saml-schema-protocol-2.0.xsd");

/** Returns the folder with the schemas of the W3C that those use. @returns {string | undefined} */
export const w3cSchemas = () => folderWith("/usr/share/xml/xmltooling", "xmldsig-core-schema.xsd");

/**
 * Returns OpenLDAP: its server with modules and schemas, and its client.
 * @returns {{ slapd: string, slapadd: string, ldapmodify: string, modules: string, schemas: string } | undefined}
 */
export function openLdap() {
  const [slapd, slapadd, ldapmodify] = [onPath("slapd"), onPath("slapadd"), onPath("ldapmodify")];
  const [modules, schemas] = [folderWith("/usr/lib/ldap", "back_mdb.so"), folderWith("/etc/ldap/schema", "inetorgperson.schema")];
  return slapd && slapadd && ldapmodify && modules && schemas ? { slapd, slapadd, ldapmodify, modules, schemas } : undefined;
}

/**
 * Returns Samba as a domain controller of Active Directory. It listens on the fixed ports 389 and 636, so it must run as root.
 * @returns {{ samba: string, tool: string } | undefined}
 */
export function sambaDomain() {
  const [samba, tool] = [onPath("samba"), onPath("samba-tool")];
  const provision = folderWith("/usr/share/samba/setup", "provision.ldif");
  return samba && tool && provision && process.getuid?.() === 0 ? { samba, tool } : undefined;
}

/**
 * The programs that the suite uses beyond npm, with their Debian packages, and the tests that cannot run without them. CI installs the quickest program if the
 * machine has another one.
 * @type {{ name: string, package: string, find: () => unknown, quickest?: () => unknown, lost: string }[]}
 */
export const peers = [
  { name: "Postgres", package: "postgresql", find: postgresBin, lost: "the tests on Postgres" },
  { name: "Redis", package: "redis-server", find: redisServerPath, lost: "the tests of rate limits shared through Redis" },
  { name: "PgBouncer", package: "pgbouncer", find: pgbouncerPath, lost: "the test of two nodes behind PgBouncer" },
  {
    name: "Chromium",
    package: "chromium-headless-shell",
    find: chromiumPath,
    quickest: headlessShellPath,
    lost: "the tests that drive a browser",
  },
  {
    name: "Apache with mod_auth_openidc",
    package: "libapache2-mod-auth-openidc",
    find: apacheWithOpenidc,
    lost: "the test that signs in to a site behind mod_auth_openidc",
  },
  {
    name: "Shibboleth SP",
    package: "libapache2-mod-shib",
    find: apacheWithShibboleth,
    lost: "the tests that sign in to a site behind Shibboleth SP",
  },
  {
    name: "Apache with mod_auth_mellon",
    package: "libapache2-mod-auth-mellon",
    find: apacheWithMellon,
    lost: "the tests that sign in to a site behind mod_auth_mellon",
  },
  {
    name: "SimpleSAMLphp",
    package: "simplesamlphp php-cli php-xml php-sqlite3 php-soap",
    find: simpleSamlPhp,
    lost: "the tests that sign in to SimpleSAMLphp or by it",
  },
  { name: "pysaml2", package: "python3-pysaml2", find: pysaml2Python, lost: "the tests that sign in to pysaml2" },
  { name: "OpenLDAP", package: "slapd ldap-utils", find: openLdap, lost: "the tests of directories against OpenLDAP" },
  {
    name: "Samba as a domain controller",
    package: "samba samba-ad-provision samba-dsdb-modules samba-vfs-modules winbind python3-samba ldb-tools",
    find: sambaDomain,
    lost: "the tests of directories against Active Directory (they need root, for its fixed ports)",
  },
  { name: "xmlsec1", package: "xmlsec1", find: xmlsecPath, lost: "the tests of SAML signatures and encryption against xmlsec1" },
  { name: "xmllint", package: "libxml2-utils", find: xmllintPath, lost: "the tests of canonical XML and of the SAML schemas" },
  { name: "The SAML schemas", package: "opensaml-schemas", find: oasisSchemas, lost: "the tests of the SAML schemas" },
  { name: "The XML security schemas", package: "xmltooling-schemas", find: w3cSchemas, lost: "the tests of the SAML schemas" },
];
