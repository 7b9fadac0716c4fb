import { Readable } from "node:stream";
import type { HashPassword, ImportUser, OnConflict } from "../../directory/import/index.ts";
import { clock } from "../../kernel/clock.ts";
import { AppError } from "../../kernel/errors.ts";
import { isObject } from "../../kernel/json.ts";
import type { ReadCtx } from "../../platform/context.ts";
import { allows } from "../../tenancy/permissions/index.ts";
import {
  DOCUMENT_SCHEMA,
  exportRealm,
  type ImportTools,
  importRealm,
  type RealmImport,
  readDocument,
  type Transact,
} from "../transfer/index.ts";
import { externalErrors } from "./errors.ts";
import { linesOf } from "./lines.ts";
import { Naming, readPowers } from "./naming.ts";
import { keepPowerful, withNamedRoles } from "./present.ts";
import { recordOf, recordsOf, type Values } from "./reading.ts";
import { Report } from "./report.ts";
import type { Refused, Translation } from "./schema.ts";
import type { ExternalSource, SourceFile } from "./source.ts";
import { sources } from "./sources/index.ts";
import { Spool } from "./spool.ts";

export interface ExternalOptions {
  /** Null if the source is to be recognised from the files. */
  readonly source: string | null;
  readonly from: string | null;
  readonly parameters: Values;
  readonly rpId: string;
  readonly dryRun: boolean;
  readonly onConflict: OnConflict;
  readonly importId: string | undefined;
}

export type ExternalImport = RealmImport & { readonly translation: Translation };

/** Returns the source with this name, or the first that recognises one of the files. */
function sourceOf(files: readonly SourceFile[], name: string | null): ExternalSource {
  const found = sources.find((source) => (name === null ? files.some((file) => source.looksLike(file)) : source.name === name));
  if (!found) throw externalErrors.unknown_source();
  return found;
}

/** Imports the export of another system into the realm. Its files become our document and rows of users, which are then imported like any others. */
export async function importExternal(
  transact: Transact,
  tools: ImportTools,
  who: Pick<ReadCtx, "realm" | "actor">,
  files: readonly SourceFile[],
  { source: name, from, parameters, rpId, dryRun, onConflict, importId }: ExternalOptions,
): Promise<ExternalImport> {
  if (files.length === 0) throw externalErrors.empty();
  const source = sourceOf(files, name);
  const report = new Report();
  const rows = new Spool();
  try {
    let count = 0;
    const user = (row: ImportUser) => rows.write(Buffer.from(`${count++ === 0 ? "[" : ","}${JSON.stringify(row)}\n`));
    const may = (permission: Parameters<typeof allows>[1]) => allows(who.actor.permissions, permission);
    const naming = new Naming(source.name, await transact(readPowers), report);
    const translated = await source.translate({ files, parameters, from, now: clock.now(), rpId, may, naming }, { report, user });
    const sections = await keepPowerful(transact, tools, await withNamedRoles(transact, translated), report);
    if (count > 0) await rows.write(Buffer.from("]"));
    const document = { schema: DOCUMENT_SCHEMA, ...(await overPresent(transact, tools, sections)) };
    const present = may("manage-identity-providers") ? await presentProviders(transact, tools) : [];
    const refused: Refused[] = [];
    const hashPassword = hashingAccepted(tools.users.hashPassword, report);
    const options = { dryRun, prune: "none", source: null, plan: null, onConflict, importId } as const;
    const done = await withoutFaulty(document, refused, async (fit) =>
      importRealm(
        transact,
        { ...tools, users: { ...tools.users, hashPassword } },
        who,
        {
          document: await readDocument(fit, null),
          users: count > 0 ? linkedTo([...present, ...aliasesIn(fit)], rows.read(), report) : null,
        },
        options,
      ),
    );
    return { ...done, translation: { source: source.name, ...report.get(), refused } };
  } finally {
    await rows.close();
  }
}

/** Lets a user come without a password that the rules here refuse, as one whose hash cannot be checked here. */
const hashingAccepted =
  (hash: HashPassword, report: Report): HashPassword =>
  async (password, owner) => {
    try {
      return await hash(password, owner);
    } catch (error) {
      if (!(error instanceof AppError) || !error.code.startsWith("password.")) throw error;
      report.unmapped("users[].password", `The rules of the realm refuse it (${error.code}): the user resets it`, "users[]");
      return null;
    }
  };

const aliasesIn = (document: object): string[] =>
  recordsOf((document as Record<string, unknown>).identityProviders).map(({ alias }) => String(alias));

async function presentProviders(transact: Transact, tools: ImportTools): Promise<string[]> {
  const { document } = await exportRealm(transact, tools, { sections: "identityProviders", full: false, passphrase: null, users: false });
  return aliasesIn(document);
}

/** Removes links to providers that the realm will not have from the rows: otherwise the users who have them would be refused. */
function linkedTo(aliases: readonly string[], rows: Readable, report: Report): Readable {
  async function* kept(): AsyncGenerator<string> {
    let row = 0;
    for await (const line of linesOf(rows)) {
      row++;
      if (!line.includes('"federatedIdentities"')) {
        yield `${line}\n`;
        continue;
      }
      const user = JSON.parse(line.slice(1)) as ImportUser;
      const links = (user.federatedIdentities ?? []).filter(({ provider }) => {
        const isKnown = aliases.includes(provider);
        const path = `users[].federatedIdentities[${provider.slice(0, 63)}]`;
        if (isKnown) report.mapped(path);
        else report.unmapped(path, "There is no such identity provider here that users sign in by", `users[${row}]`);
        return isKnown;
      });
      yield `${line[0]}${JSON.stringify({ ...user, federatedIdentities: links })}\n`;
    }
  }
  return Readable.from(kept(), { objectMode: false });
}

/** Adds the present settings to the document: otherwise it would return settings that the files do not mention to their defaults. */
async function overPresent(transact: Transact, tools: ImportTools, sections: Record<string, unknown>): Promise<Record<string, unknown>> {
  if (sections.settings === undefined) return sections;
  const { document } = await exportRealm(transact, tools, { sections: "settings", full: false, passphrase: null, users: false });
  return { ...sections, settings: merged(recordOf(document.settings), recordOf(sections.settings)) };
}

const merged = (present: Values, wanted: Values): Values => ({
  ...present,
  ...Object.fromEntries(
    Object.entries(wanted).map(([name, value]) => [name, isObject(value) ? merged(recordOf(present[name]), value) : value]),
  ),
});

/** The most rounds of an import. More would mean that items refer to each other without end. */
const ROUNDS = 30;

/**
 * Imports the items that the rules here accept. An item that they refuse is left out and listed, and the import begins anew without it; nothing was
 * written until then. A missing permission refuses the whole import, because it is about the caller, not about the item.
 */
async function withoutFaulty<T>(document: Record<string, unknown>, refused: Refused[], run: (document: object) => Promise<T>): Promise<T> {
  let left = document;
  for (let round = 0; ; round++) {
    try {
      return await run(left);
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== "transfer.faults" || error.status === 403 || round === ROUNDS) throw error;
      const faults = error.errors ?? [];
      const smaller = without(left, faults, refused);
      if (smaller === null) throw error;
      left = smaller;
    }
  }
}

/** The members that are the keys of items, by which the faults of `operations/transfer` name them. */
const KEYS: Readonly<Record<string, string>> = {
  ...{ clients: "clientId", groups: "path", identityProviders: "alias", organizations: "alias", flows: "alias", samlClients: "entityId" },
};
const keyOf = (section: string, item: Values): string =>
  section === "messagingProviders" ? `${item.channel}/${item.driver}` : String(item[KEYS[section] ?? "name"]);

type Fault = NonNullable<AppError["errors"]>[number];

/** Returns the document without the items that the faults name, or null if they name none. */
function without(document: Record<string, unknown>, faults: readonly Fault[], refused: Refused[]): Record<string, unknown> | null {
  let isSmaller = false;
  const next = Object.fromEntries(
    Object.entries(document).map(([section, value]) => {
      if (!Array.isArray(value))
        return [section, section === "settings" ? withoutMembers(recordOf(value), faults, refused, () => (isSmaller = true)) : value];
      const kept = recordsOf(value).filter((item) => {
        const key = keyOf(section, item);
        const place = `${section}[${key.slice(0, 100)}]`;
        const own = faults.filter(({ field }) => field === place || field.startsWith(`${place}.`));
        for (const { field, code, message } of own) refused.push({ section, key, field: field.slice(place.length + 1), code, message });
        if (own.length > 0) isSmaller = true;
        return own.length === 0;
      });
      return [section, kept];
    }),
  );
  return isSmaller ? next : null;
}

function withoutMembers(settings: Values, faults: readonly Fault[], refused: Refused[], note: () => void): Values {
  const next = structuredClone(settings) as Record<string, unknown>;
  for (const { field, code, message } of faults) {
    const [section, member = "", inner] = field.split(".");
    if (section !== "settings" || !Object.hasOwn(next, member)) continue;
    const group = next[member] as Record<string, unknown>;
    if (inner !== undefined && typeof group === "object" && group !== null && Object.hasOwn(group, inner)) delete group[inner];
    else delete next[member];
    refused.push({ section: "settings", key: "", field: field.slice("settings.".length), code, message });
    note();
  }
  return next;
}
