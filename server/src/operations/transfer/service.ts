import type { Readable } from "node:stream";
import type { Static } from "typebox";
import { type ImportParts, importUsers, type OnConflict } from "../../directory/import/index.ts";
import { importedLinks } from "../../federation/index.ts";
import { invalidFields } from "../../kernel/errors.ts";
import type { Ctx, ReadCtx } from "../../platform/context.ts";
import { allows } from "../../tenancy/permissions/index.ts";
import { createRealm, type RealmSeed } from "../../tenancy/realms/index.ts";
import type { RealmDocument } from "./document.ts";
import { permissionsMissing, transferErrors } from "./errors.ts";
import { exportConfiguration, sectionsFor, wrongSections } from "./export.ts";
import { type ImportOptions, importConfiguration, lackingFor, type Transact } from "./plan.ts";
import type { RealmImport as RealmImportSchema } from "./schema.ts";
import { newSealing } from "./sealing.ts";
import type { SectionTools } from "./section.ts";
import { seeOneMoment } from "./snapshot.store.ts";
import { exportUsers, rowsOf } from "./users.ts";

export type RealmImport = Static<typeof RealmImportSchema>;

export interface ExportChoice {
  /** Names of sections, separated by commas; null for all. */
  readonly sections: string | null;
  readonly full: boolean;
  /** Seals secrets and keys; null if they are left out. */
  readonly passphrase: string | null;
  /** True if users are included. Their hashes and second factors are included only if secrets are sealed. */
  readonly users: boolean;
}

export interface RealmExport {
  readonly document: Record<string, unknown>;
  /** Yields the users one by one; null if they were not requested. */
  users(ctx: ReadCtx): AsyncIterable<object> | null;
}

const MIN_PASSPHRASE = 12;

/** Exports the realm's configuration as one document, with the state of one moment. */
export async function exportRealm(
  transact: Transact,
  tools: SectionTools,
  { sections, full, passphrase, users }: ExportChoice,
): Promise<RealmExport> {
  const wrong = sections === null ? null : wrongSections(sections);
  if (wrong !== null) throw invalidFields([{ field: "sections", code: "unknown", message: wrong }]);
  if (passphrase !== null && passphrase.length < MIN_PASSPHRASE) throw transferErrors.passphrase_short();
  const sealing = passphrase === null ? null : await newSealing(passphrase);
  const options = { only: sections?.split(",") ?? null, full, sealing };
  const document = await transact(async (ctx) => {
    await seeOneMoment(ctx.tx);
    assertMayExport(ctx, sealing !== null, users);
    sectionsFor(ctx, options);
    const carried = [...(users ? ["users"] : []), ...(sealing ? ["secrets"] : [])];
    const detail = `with ${carried.join(" and ")}`;
    if (carried.length > 0)
      ctx.audit({ category: "SECURITY", type: "REALM_EXPORTED", resourceType: "export", resourceId: ctx.realm, detail });
    return exportConfiguration(ctx, tools, options);
  });
  return { document, users: (ctx) => (users ? exportUsers(ctx, tools, sealing) : null) };
}

/** Requires `view-users` for users, and `realm-admin` for secrets and keys, which give control of every principal of the realm. */
function assertMayExport({ actor }: Ctx, withSecrets: boolean, withUsers: boolean): void {
  if (withUsers && !allows(actor.permissions, "view-users")) throw permissionsMissing([{ section: "users", permission: "view-users" }]);
  if (withSecrets && !allows(actor.permissions, "realm-admin"))
    throw permissionsMissing([{ section: "secrets", permission: "realm-admin" }]);
}

/** The source of an import: a document that was read here, or one that was translated from another system's files. */
export interface ImportSource {
  readonly document: RealmDocument;
  /** A JSON list of any length, as `POST /users/import` takes it; left out or null if there are no users. */
  readonly users?: Readable | null;
}

export interface ImportTools extends SectionTools {
  /** The dependencies for writing users in batches. */
  readonly users: Pick<ImportParts, "hashPassword" | "log">;
}

/** Makes every transaction begin by creating the realm, until one is committed. Those of a dry run never are. */
function creating(transact: Transact, seed: RealmSeed): Transact {
  let isThere = false;
  return async (work) => {
    const result = await transact(async (ctx) => {
      if (!isThere) await createRealm(ctx, seed);
      return work(ctx);
    });
    isThere = true;
    return result;
  };
}

/**
 * Brings a realm to the state of the source, or plans it: first the configuration in one transaction, which also creates a new realm, then the users
 * in batches.
 */
export async function importRealm(
  outer: Transact,
  tools: ImportTools,
  { realm, actor }: Pick<ReadCtx, "realm" | "actor">,
  { document, users = null }: ImportSource,
  options: ImportOptions & { readonly onConflict?: OnConflict; readonly importId?: string | undefined },
): Promise<RealmImport> {
  const { dryRun, onConflict = "skip", importId, newRealm } = options;
  const transact = newRealm ? creating(outer, newRealm) : outer;
  const mayWriteUsers = users === null || allows(actor.permissions, "manage-users");
  const lacking = mayWriteUsers ? [] : [{ section: "users", permission: "manage-users" }];
  if (lacking.length > 0 && !dryRun) throw permissionsMissing([...lackingFor({ actor }, document.sections), ...lacking]);
  const plan = await importConfiguration(transact, tools, document, options);
  const done: RealmImport = { realm, dryRun, ...plan, lacking: [...plan.lacking, ...lacking] };
  if (users === null || !mayWriteUsers) return done;
  const rows = rowsOf(users, document.sealing, dryRun ? plan : null);
  const parts = { transact, vault: tools.vault, links: importedLinks, ...tools.users };
  const how = { type: "application/x-ndjson", delimiter: ",", onConflict, dryRun, importId } as const;
  return { ...done, users: await importUsers(parts, rows, how) };
}
