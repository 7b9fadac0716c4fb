import { groupPath } from "../../../directory/groups/index.ts";
import { AppError, malformed } from "../../../kernel/errors.ts";
import { wholeJson } from "../json-lists.ts";
import { recordOf, recordsOf, textOf, textsOf, unique, uuidOf, type Values } from "../reading.ts";
import type { ExternalSource, SourceFile } from "../source.ts";
import { attributesFrom, LEGACY, NO_PASSWORDS, prefixed, proposeSubject, rowOf, timeOf } from "./people.ts";

const known = {
  mapped: ["pk", "username", "name", "email", "is_active", "uid", "uuid", "groups", "groups_obj", "attributes", "date_joined", "password"],
  ignored: ["last_login", "is_superuser", "avatar", "path", "type", "password_change_date", "last_updated", "id", "roles", "roles_obj"],
};
const MAX_YAML = 32 * 1024 * 1024;

/** Reads users and groups of a blueprint, of the API or of the database. Only the database has hashes (Django's). */
export const authentik: ExternalSource = {
  name: "authentik",
  title: "authentik",
  looksLike: ({ head }) => /authentik_core\./.test(head) || (/"username"\s*:/.test(head) && /"(groups_obj|date_joined)"\s*:/.test(head)),
  async translate({ files, now, naming }, { report, user: write }) {
    const groups = new Map<string, string>();
    const people: Values[] = [];
    for (const file of files) {
      for (const { model, identifiers, attrs } of await entriesOf(file)) {
        const value = { ...recordOf(identifiers), ...recordOf(attrs) };
        if (model === "authentik_core.user") people.push(value);
        else if (model === "authentik_core.group") groups.set(textOf(value.pk) ?? textOf(value.name) ?? "", textOf(value.name) ?? "");
        else report.unmapped(`entries[].model[${textOf(model)}]`, "Only users and groups are carried over", `entries[${textOf(model)}]`);
      }
    }
    for (const user of people) for (const { pk, name } of recordsOf(user.groups_obj)) groups.set(String(pk), textOf(name) ?? "");
    const isTheirs = (name: string) => [...groups.values()].includes(name);
    const pathOf = (name: string) => groupPath([naming.group([], name, { isTheirs })]);
    for (const [index, value] of people.entries()) {
      const at = `users[${index + 1}]`;
      const type = textOf(value.type) ?? "";
      if (/service_account/.test(type)) {
        report.unmapped("users[].type[service_account]", "Make a client with a service account for it", at);
        continue;
      }
      report.members("users[]", at, value, known);
      const hash = textOf(value.password);
      if (hash === undefined) report.choice(NO_PASSWORDS);
      proposeSubject(report);
      const own = unique([
        ...textsOf(value.groups).map((one) => groups.get(one) ?? one),
        ...recordsOf(value.groups_obj).flatMap(({ name }) => textOf(name) ?? []),
      ]);
      const [email, [firstName = "", ...last]] = [textOf(value.email), (textOf(value.name) ?? "").split(" ")];
      for (const name of own) if (!isTheirs(name)) groups.set(name, name);
      await write(
        rowOf(textOf(value.username) ?? email ?? "", {
          userId: uuidOf(value.uuid),
          email,
          enabled: value.is_active === false ? false : undefined,
          createdAt: timeOf(value.date_joined, now),
          passwordHash: hash,
          groups: own.length > 0 ? own.map(pathOf) : undefined,
          attributes: attributesFrom(
            { firstName, lastName: last.join(" "), [LEGACY]: value.uid, ...prefixed("attributes", value.attributes) },
            report,
            "users[].attributes",
            at,
          ),
        }),
      );
    }
    const names = unique([...groups.values()]).filter((name) => name !== "");
    return names.length > 0 ? { groups: names.map((name) => ({ path: pathOf(name) })) } : {};
  },
};

/** Reads the entries of a blueprint in any of its forms. */
async function entriesOf(file: SourceFile): Promise<Values[]> {
  const asUsers = (list: unknown) => recordsOf(list).map((attrs) => ({ model: "authentik_core.user", attrs }));
  if (/^\s*[[{]/.test(file.head)) {
    const value = await wholeJson(file.read());
    if (Array.isArray(value)) return asUsers(value);
    const { entries, results, users } = recordOf(value);
    return entries === undefined ? asUsers(results ?? users) : recordsOf(entries);
  }
  const { parse } = await import("yaml");
  const held: Buffer[] = [];
  let size = 0;
  for await (const piece of file.read() as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > MAX_YAML) throw new AppError("request.too_large", 413, "A blueprint has at most 32 MB");
    held.push(piece);
  }
  try {
    // References to other objects are tags of authentik; the objects are not in the file.
    return recordsOf(
      recordOf(parse(Buffer.concat(held).toString("utf8"), { logLevel: "silent", maxAliasCount: 100, uniqueKeys: true })).entries,
    );
  } catch (cause) {
    throw malformed("The blueprint is not valid YAML", cause);
  }
}
