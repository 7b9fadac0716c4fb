import {
  type LdapConnection,
  LdapError,
  openConnection,
  parseFilter,
  parseLdapUrl,
  parseTemplate,
  present,
} from "../../platform/ldap/index.ts";
import type { Outbound } from "../../platform/outbound/index.ts";
import type { TestedCheck } from "../providers/protocol.ts";
import type { Config, OpenProvider } from "../providers/provider.ts";
import { isFault, personAttributes, readPerson } from "./person.ts";

/** Returns the connection settings of a directory's servers. */
export const connectionOf = ({ config, secrets = {} }: { readonly config: Config; readonly secrets?: OpenProvider["secrets"] }) => ({
  urls: [String(config.url), ...((config.urls ?? []) as string[])],
  startTls: config.startTls === true,
  ca: (config.caCertificate as string | undefined) ?? null,
  identity:
    config.clientCertificate === undefined || secrets.clientKey === undefined
      ? null
      : { cert: String(config.clientCertificate), key: secrets.clientKey },
  timeoutMs: Number(config.timeoutMs),
});

/** Returns a line for each step: reach, tls, bind, search, entry, groups. The steps after a failed one are left out. The lines contain no personal data. */
export async function testDirectory({ config, secrets }: OpenProvider, outbound: Outbound): Promise<TestedCheck[]> {
  const checks: TestedCheck[] = [];
  const { urls, ...options } = connectionOf({ config, secrets });
  const open: LdapConnection[] = [];
  try {
    for (const url of urls) {
      const { host, tls } = parseLdapUrl(url);
      try {
        open.push(await openConnection({ outbound, ...options, url }));
        checks.push({ name: "reach", ok: true, message: `${host} answers${tls || options.startTls ? ", with TLS" : ", without TLS"}.` });
      } catch (error) {
        checks.push(failed("reach", error));
      }
    }
    const [connection] = open;
    if (!connection) return checks;
    checks.push(...(await search(connection, config, secrets.bindPassword ?? "")));
    return checks;
  } finally {
    for (const connection of open) connection.close();
  }
}

async function search(connection: LdapConnection, config: Config, bindPassword: string): Promise<TestedCheck[]> {
  const checks: TestedCheck[] = [];
  let step = "bind";
  try {
    await connection.bind(String(config.bindDn), bindPassword);
    checks.push({ name: "bind", ok: true, message: "The directory accepts bindDn and bindPassword." });
    step = "search";
    const base = String(config.userSearchBase);
    const filter = parseTemplate(String(config.userSearchFilter)).all ?? present(String(config.uidAttribute));
    const [entry] = await connection.search({ base, scope: "sub", filter, attributes: personAttributes(config), sizeLimit: 1 });
    if (!entry) {
      const message = "No entry is found below userSearchBase: check it, userSearchFilter, and what bindDn may read.";
      return [...checks, { name: "search", ok: false, message }];
    }
    checks.push({ name: "search", ok: true, message: "There are users below userSearchBase." });
    const person = readPerson(config, entry);
    const message = isFault(person)
      ? person.message
      : `The first entry has an id and a username${person.email === null ? ", and no mail address" : " and a mail address"}.`;
    checks.push({ name: "entry", ok: !isFault(person), message });
    if (config.groupSearchBase === undefined) return checks;
    step = "groups";
    return [...checks, await findGroup(connection, config)];
  } catch (error) {
    return [...checks, failed(step, error)];
  }
}

async function findGroup(connection: LdapConnection, config: Config): Promise<TestedCheck> {
  const [base, filter] = [String(config.groupSearchBase), parseFilter(String(config.groupSearchFilter))];
  const found = await connection.search({ base, scope: "sub", filter, attributes: ["1.1"], sizeLimit: 1 });
  if (found.length > 0) return { name: "groups", ok: true, message: "There are groups below groupSearchBase." };
  const message = "No group is found below groupSearchBase: check it, groupSearchFilter, and what bindDn may read.";
  return { name: "groups", ok: false, message };
}

function failed(name: string, error: unknown): TestedCheck {
  if (!(error instanceof LdapError)) throw error;
  // In TLS 1.3 the handshake is complete before the directory notices that the client certificate is missing or wrong.
  const hint = name === "bind" && error.fault === "closed" ? " It may ask for a client certificate: check clientCertificate." : "";
  return { name: error.fault === "tls" ? "tls" : name, ok: false, message: error.message + hint };
}
