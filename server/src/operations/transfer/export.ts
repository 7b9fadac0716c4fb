import { didYouMean } from "../../kernel/suggest.ts";
import type { ReadCtx } from "../../platform/context.ts";
import { allows } from "../../tenancy/permissions/index.ts";
import { lean, mapSecrets, ordered } from "./compare.ts";
import { DOCUMENT_SCHEMA, placeOf } from "./document.ts";
import { permissionsMissing } from "./errors.ts";
import type { Sealing } from "./sealing.ts";
import type { Entry, Section, SectionTools } from "./section.ts";
import { sections } from "./sections/index.ts";

/** Returns a message about the first of these comma-separated names that is no section, or null if each is one. */
export function wrongSections(given: string): string | null {
  const known = sections.map(({ name }) => name);
  const wrong = given.split(",").find((name) => !known.includes(name));
  if (wrong === undefined) return null;
  return `There is no section “${wrong}”.${didYouMean(wrong, known) || ` There are ${known.join(", ")}.`}`;
}

export interface ExportOptions {
  /** Null for every section. */
  readonly only: readonly string[] | null;
  /** True if members with their default value are included. */
  readonly full: boolean;
  /** Null if secrets are left out. */
  readonly sealing: Sealing | null;
}

/** Returns the sections of an export. A caller who may not read one of them is refused before anything is read. */
export function sectionsFor({ actor }: Pick<ReadCtx, "actor">, { only, sealing }: ExportOptions): readonly Section[] {
  const asked = sections.filter(({ name, isSecret = false }) => (only?.includes(name) ?? true) && (!isSecret || sealing !== null));
  const lacking = asked
    .filter(({ permission }) => !allows(actor.permissions, permission.read))
    .map(({ name, permission }) => ({ section: name, permission: [permission.read].flat().join(" or ") }));
  if (lacking.length > 0) throw permissionsMissing(lacking);
  return asked;
}

/** Returns the realm's configuration as a document with a fixed order of members. */
export async function exportConfiguration(ctx: ReadCtx, tools: SectionTools, options: ExportOptions): Promise<Record<string, unknown>> {
  const { sealing } = options;
  const document: Record<string, unknown> = { schema: DOCUMENT_SCHEMA, realm: ctx.realm, ...(sealing && { sealing: sealing.header }) };
  for (const section of sectionsFor(ctx, options)) {
    const entries = [...(await section.read(ctx, tools))].sort(byKey);
    const items = entries.map((entry) => shown(ctx.realm, section, entry, options));
    document[section.name] = section.keyOf ? items : items[0];
  }
  return document;
}

const byKey = (one: Entry, other: Entry) => (one.key < other.key ? -1 : one.key > other.key ? 1 : 0);

function shown(realm: string, section: Section, { key, item }: Entry, { full, sealing }: ExportOptions): unknown {
  const state = full ? ordered(item) : lean(item, section.defaults?.(item, realm) ?? {});
  return mapSecrets(state, placeOf(section, key), (secret, path) => (sealing ? { $sealed: sealing.seal(secret.open(), path) } : undefined));
}
