import { isUtf8 } from "node:buffer";
import { groupPath } from "../../../directory/groups/index.ts";
import { addTo } from "../../../kernel/lists.ts";
import { isKnownHash } from "../../../platform/passwords/index.ts";
import { linesOf } from "../lines.ts";
import { unique, uuidOf } from "../reading.ts";
import type { Report } from "../report.ts";
import type { ExternalSource, SourceFile } from "../source.ts";
import { attributesFrom, NO_PASSWORDS, rowOf } from "./people.ts";

type Entry = ReadonlyMap<string, readonly string[]>;

const PEOPLE = ["person", "organizationalperson", "inetorgperson", "user", "posixaccount"];
const GROUPS = ["groupofnames", "groupofuniquenames", "group", "posixgroup"];
const OF_THE_SERVER = [
  "objectclass",
  "structuralobjectclass",
  "entrydn",
  "entryuuid",
  "entrycsn",
  "creatorsname",
  "modifiersname",
  "createtimestamp",
  "modifytimestamp",
];
const MAPPED = ["dn", "uid", "samaccountname", "cn", "sn", "givenname", "mail", "telephonenumber", "mobile", "userpassword", "memberof"];
const MAX_LINE = 1024 * 1024;

/** Yields the entries of a file (RFC 2849). A blank line separates entries; a line that begins with a space continues the one before. */
async function* entriesOf(file: SourceFile, report: Report): AsyncGenerator<{ entry: Entry; at: string }> {
  let number = 0;
  let held: string[] = [];
  const finish = (): { entry: Entry; at: string } | null => {
    const lines = held;
    held = [];
    const entry = new Map<string, string[]>();
    const at = `entries[${++number}]`;
    for (const line of lines) {
      const [, name = "", mark = "", value = ""] = /^([^:]+):([:<]?)\s*(.*)/s.exec(line) ?? [];
      const key = name.toLowerCase().split(";")[0]!;
      if (key === "version" && lines.length === 1) return null;
      const bytes = mark === ":" ? Buffer.from(value, "base64") : Buffer.from(value);
      if (mark === "<") report.unmapped(`entries[].${key}`, "Values in other files are not read", at);
      else if (!isUtf8(bytes) || bytes.includes(0)) report.unmapped(`entries[].${key}`, "It is no text", at);
      else if (key !== "") addTo(entry, key, bytes.toString("utf8"));
    }
    return entry.has("dn") ? { entry, at } : null;
  };
  for await (const line of linesOf(file.read())) {
    if (line.startsWith("#")) continue;
    if (line.startsWith(" ") && held.length > 0) {
      const last = held.length - 1;
      if (held[last]!.length < MAX_LINE) held[last] += line.slice(1);
    } else if (line.trim() === "") {
      const entry = held.length > 0 ? finish() : null;
      if (entry) yield entry;
    } else held.push(line);
  }
  const entry = held.length > 0 ? finish() : null;
  if (entry) yield entry;
}

const isOf = (entry: Entry, classes: readonly string[]) =>
  (entry.get("objectclass") ?? []).some((one) => classes.includes(one.toLowerCase()));
const first = (entry: Entry, ...names: string[]): string | undefined =>
  names.map((name) => entry.get(name)?.[0]).find((one) => one !== undefined && one !== "");
const nameIn = (dn: string): string | undefined => /^[^=]+=((?:\\.|[^,\\])+)/.exec(dn)?.[1]?.replace(/\\(.)/g, "$1");
const normal = (dn: string) =>
  dn
    .toLowerCase()
    .split(",")
    .map((part) => part.trim())
    .join(",");

/** Reads the dump of a directory. If people stay in the directory, connect it instead (docs/directories.md). */
export const ldif: ExternalSource = {
  name: "ldif",
  title: "LDIF",
  looksLike: ({ head }) => /^(version:\s*1\s*$|#|dn::?\s)/m.test(head.slice(0, 2000)) && /^dn::?\s/m.test(head),
  async translate({ files, naming }, { report, user: write }) {
    const groups = new Set<string>();
    const pathOf = (name: string) => groupPath([naming.group([], name, { isTheirs: (one) => groups.has(one) })]);
    const members = new Map<string, string[]>();
    for (const file of files)
      for await (const { entry } of entriesOf(file, report)) {
        if (!isOf(entry, GROUPS)) continue;
        const name = first(entry, "cn") ?? nameIn(first(entry, "dn")!) ?? "";
        groups.add(name);
        report.mapped("groups[]");
        for (const key of ["member", "uniquemember", "memberuid"])
          for (const one of entry.get(key) ?? []) addTo(members, normal(one), name);
      }
    for (const file of files)
      for await (const { entry, at } of entriesOf(file, report)) {
        if (!isOf(entry, PEOPLE)) {
          if (!isOf(entry, GROUPS)) report.ignored("entries[] that are neither people nor groups");
          continue;
        }
        const username = first(entry, "uid", "samaccountname", "cn", "mail") ?? "";
        const own = unique([
          ...(members.get(normal(first(entry, "dn")!)) ?? []),
          ...(members.get(normal(username)) ?? []),
          ...(entry.get("memberof") ?? []).flatMap((dn) => nameIn(dn) ?? []),
        ]);
        for (const name of own) groups.add(name);
        for (const key of entry.keys())
          if (MAPPED.includes(key)) report.mapped(`entries[].${key}`);
          else if (OF_THE_SERVER.includes(key)) report.ignored(`entries[].${key}`);
        const password = first(entry, "userpassword");
        const isKnown = password !== undefined && isKnownHash(password);
        if (password === undefined) report.choice(NO_PASSWORDS);
        else if (!isKnown)
          report.unmapped(
            `entries[].userPassword[${/^\{[^}]+\}/.exec(password)?.[0] ?? "plain"}]`,
            "Passwords of this form cannot be checked here, or are no hashes: the user resets it",
            at,
          );
        const more = [...entry]
          .filter(([key]) => !MAPPED.includes(key) && !OF_THE_SERVER.includes(key))
          .map(([key, values]) => [key, values]);
        await write(
          rowOf(username, {
            userId: uuidOf(first(entry, "entryuuid")),
            email: first(entry, "mail"),
            passwordHash: isKnown ? password : undefined,
            groups: own.length > 0 ? own.map(pathOf) : undefined,
            attributes: attributesFrom(
              {
                ...Object.fromEntries(more),
                firstName: first(entry, "givenname"),
                lastName: first(entry, "sn"),
                phoneNumber: first(entry, "telephonenumber", "mobile"),
              },
              report,
              "entries[].*",
              at,
            ),
          }),
        );
      }
    return groups.size > 0 ? { groups: [...groups].filter(Boolean).map((name) => ({ path: pathOf(name) })) } : {};
  },
};
