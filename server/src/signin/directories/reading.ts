import { allOf, atLeast, type LdapConnection, type LdapEntry, parseFilter } from "../../platform/ldap/index.ts";
import type { Directory } from "./directory.ts";
import type { RunKind } from "./runs.store.ts";

const PAGE = 500;
/** The directory's clock has a grain of a second, and its servers tell a change to each other a little later. */
const OVERLAP_SECONDS = 60;

/**
 * Every page of a directory, or of what has changed since `mark`. Answers the mark for the next time: in AD a sequence number of this domain
 * controller, elsewhere the latest time of a change, by the directory's own clock.
 */
export async function readDirectory(
  connection: LdapConnection,
  directory: Directory,
  mark: string | null,
  take: (entries: readonly LdapEntry[]) => Promise<void>,
): Promise<{ mark: string | null; kind: RunKind }> {
  const isAd = directory.provider.protocol === "ad";
  const now = isAd ? await controllerMark(connection) : null;
  const since = mark === null ? null : isAd ? usnSince(mark, now) : timeSince(mark);
  const filter = since === null ? directory.everybody! : allOf(directory.everybody!, since);
  const attributes = [...directory.attributes, ...(isAd ? [] : ["modifyTimestamp"])];
  let latest = mark?.startsWith("t:") ? mark.slice(2) : "";
  for await (const page of connection.pages({ base: directory.searchBase, scope: "sub", filter, attributes }, PAGE)) {
    for (const entry of page) {
      const changed = entry.text("modifyTimestamp") ?? "";
      if (/^\d{14}Z$/.test(changed) && changed > latest) latest = changed;
    }
    await take(page);
  }
  return { mark: isAd ? now : latest === "" ? null : `t:${latest}`, kind: since === null ? "full" : "changed" };
}

/** Numbers of changes are each controller's own: another controller means another count. */
async function controllerMark(connection: LdapConnection): Promise<string | null> {
  const attributes = ["highestCommittedUSN", "dsServiceName"];
  const [root] = await connection.search({ base: "", scope: "base", filter: parseFilter("(objectClass=*)"), attributes });
  const usn = root?.text("highestCommittedUSN") ?? "";
  const service = root?.text("dsServiceName") ?? "";
  return /^\d{1,19}$/.test(usn) && service !== "" ? `u:${usn}:${service}` : null;
}

function usnSince(mark: string, now: string | null) {
  const [, usn, service] = /^u:(\d+):(.*)$/s.exec(mark) ?? [];
  const isSame = now !== null && service !== undefined && now.endsWith(`:${service}`);
  return isSame ? atLeast("uSNChanged", String(BigInt(usn!) + 1n)) : null;
}

function timeSince(mark: string) {
  const [, year, month, day, hour, minute, second] = /^t:(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/.exec(mark) ?? [];
  if (year === undefined) return null;
  const at = Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second) - OVERLAP_SECONDS);
  return atLeast("modifyTimestamp", `${new Date(at).toISOString().replace(/[-:T]|\.\d+/g, "")}`);
}
