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
 * The first of these commands that PATH knows.
 * @param {string[]} names
 * @returns {string | undefined}
 */
export function onPath(...names) {
  const folders = (process.env.PATH ?? "").split(delimiter).filter(Boolean);
  // Debian keeps servers in /usr/sbin, which is not on every user's PATH.
  return names.flatMap((name) => [...folders, "/usr/sbin"].map((folder) => join(folder, name))).find(isExecutable);
}

/**
 * The folder with `initdb` and `postgres`. Debian keeps one per major version, none of them on PATH; the newest wins.
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

/** @returns {string | undefined} */
export function chromiumPath() {
  const mac = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome";
  return onPath("chromium", "chromium-browser", "google-chrome", "google-chrome-stable") ?? (isExecutable(mac) ? mac : undefined);
}

/**
 * Apache with mod_auth_openidc. Debian's apache2-bin, which the module brings along, has the programs without a service that starts by itself.
 * @returns {{ program: string, modules: string } | undefined}
 */
export function apacheWithOpenidc() {
  const program = onPath("apache2");
  const modules = "/usr/lib/apache2/modules";
  return program && existsSync(join(modules, "mod_auth_openidc.so")) ? { program, modules } : undefined;
}

/** @returns {string | undefined} */
export const xmlsecPath = () => onPath("xmlsec1");

/** @returns {string | undefined} */
export const xmllintPath = () => onPath("xmllint");

/** @param {string} folder @param {string} file */
const folderWith = (folder, file) => (existsSync(join(folder, file)) ? folder : undefined);

/** The folder with the SAML schemas of OASIS. @returns {string | undefined} */
export const oasisSchemas = () => folderWith("/usr/share/xml/opensaml", "saml-schema-protocol-2.0.xsd");

/** The folder with the schemas of the W3C that those stand on. @returns {string | undefined} */
export const w3cSchemas = () => folderWith("/usr/share/xml/xmltooling", "xmldsig-core-schema.xsd");

/** What the suite uses beyond npm: the Debian package that brings it, and what is lost without it. */
export const peers = [
  { name: "Postgres", package: "postgresql", find: postgresBin, lost: "the tests on Postgres" },
  { name: "Redis", package: "redis-server", find: redisServerPath, lost: "the tests of rate limits shared through Redis" },
  { name: "PgBouncer", package: "pgbouncer", find: pgbouncerPath, lost: "the test of two nodes behind PgBouncer" },
  { name: "Chromium", package: "chromium", find: chromiumPath, lost: "the tests that drive a browser" },
  {
    name: "Apache with mod_auth_openidc",
    package: "libapache2-mod-auth-openidc",
    find: apacheWithOpenidc,
    lost: "the test that signs in to a site behind mod_auth_openidc",
  },
  { name: "xmlsec1", package: "xmlsec1", find: xmlsecPath, lost: "the tests of SAML signatures and encryption against xmlsec1" },
  { name: "xmllint", package: "libxml2-utils", find: xmllintPath, lost: "the tests of canonical XML and of the SAML schemas" },
  { name: "The SAML schemas", package: "opensaml-schemas", find: oasisSchemas, lost: "the tests of the SAML schemas" },
  { name: "The XML security schemas", package: "xmltooling-schemas", find: w3cSchemas, lost: "the tests of the SAML schemas" },
];
