import { createHash } from "node:crypto";
import { AppError, type FieldError } from "../../kernel/errors.ts";
import type { Ctx, ReadCtx } from "../../platform/context.ts";
import { inSavepoint, lockRealm } from "../../platform/db/index.ts";
import { allows } from "../../tenancy/permissions/index.ts";
import type { RealmSeed } from "../../tenancy/realms/index.ts";
import { type Change, changesBetween, isSame, lean, mapSecrets, ordered } from "./compare.ts";
import { normalKey, numbered, type RealmDocument, type Wanted } from "./document.ts";
import { changedWithOthers, deletedWithOthers, faulty, permissionsMissing, transferErrors } from "./errors.ts";
import { forgetManaged, type ManagedObject, managedBy, recordManaged } from "./managed.store.ts";
import { type Entry, type Item, type Section, type SectionTools, without } from "./section.ts";

export interface ImportOptions {
  readonly dryRun: boolean;
  /** `source` deletes items that an earlier import of this source made and the document no longer has; `all` every item that it does not have. */
  readonly prune: "none" | "source" | "all";
  readonly source: string | null;
  /** The digest of the expected plan: any other plan is refused. */
  readonly plan: string | null;
  /** Set if the realm does not exist: the import creates it. */
  readonly newRealm?: RealmSeed | undefined;
}

export interface Action {
  readonly section: string;
  readonly key: string;
  readonly action: "create" | "update" | "delete";
  readonly changes: Change[];
}

export interface Plan {
  readonly actions: Action[];
  readonly sections: Record<string, { created: number; updated: number; deleted: number; unchanged: number }>;
  /** Secrets that the server made, because neither the document nor the realm had one. */
  readonly generated: { readonly section: string; readonly key: string; readonly path: string }[];
  readonly lacking: { readonly section: string; readonly permission: string }[];
  readonly digest: string;
}

export type Transact = <T>(work: (ctx: Ctx) => Promise<T>) => Promise<T>;

/** Ends the transaction of a dry run, whose plan was made by doing the work, without keeping it. */
class Rehearsed extends Error {
  readonly plan: Plan;

  constructor(plan: Plan) {
    super("rehearsed");
    this.plan = plan;
  }
}

/** Thrown if some writes changed nothing: the work begins anew without them, so that they leave no version and no event. */
class Again extends Error {
  readonly idle: readonly Wanted[];

  constructor(idle: readonly Wanted[]) {
    super("again");
    this.idle = idle;
  }
}

/** Brings a realm's configuration to the state in the document, in one transaction. A dry run only returns what that would change. */
export async function importConfiguration(
  transact: Transact,
  tools: SectionTools,
  document: RealmDocument,
  options: ImportOptions,
): Promise<Plan> {
  const idle = new Set<Wanted>();
  for (;;) {
    try {
      return await transact((ctx) => work(ctx, tools, document, options, idle));
    } catch (error) {
      if (error instanceof Rehearsed) return error.plan;
      if (!(error instanceof Again)) throw error;
      for (const wanted of error.idle) idle.add(wanted);
    }
  }
}

/** Returns the sections that the caller may not write, with the permissions that they need. */
export const lackingFor = ({ actor }: Pick<ReadCtx, "actor">, sections: readonly Section[]): Plan["lacking"] =>
  sections
    .filter(({ permission }) => !allows(actor.permissions, permission.write))
    .map(({ name, permission }) => ({ section: name, permission: permission.write }));

type Fault = FieldError & { readonly status: number };
type Present = ReadonlyMap<string, Entry>;

/** A wanted item, with the realm's present entry. */
interface Step {
  readonly wanted: Wanted;
  readonly current: Entry | null;
  id: string;
}

async function work(
  ctx: Ctx,
  tools: SectionTools,
  document: RealmDocument,
  options: ImportOptions,
  idle: ReadonlySet<Wanted>,
): Promise<Plan> {
  const lacking = lackingFor(ctx, document.sections);
  if (lacking.length > 0 && !options.dryRun) throw permissionsMissing(lacking);
  const mayWrite = document.sections.filter(({ name }) => !lacking.some(({ section }) => section === name));
  // This admits one import at a time. The realm must be locked before everything else that the sections' functions lock.
  await lockRealm(ctx.tx, ctx.realm);
  const before = await readAll(ctx, tools, mayWrite);
  const faults: Fault[] = [];
  const steps = stepsOf(ctx, document, mayWrite, before, idle);
  const run = runner(ctx, faults);
  for (const step of steps) await run(step.wanted.at, async () => (step.id = await write(ctx, tools, step)));
  for (const { wanted, id, current } of steps)
    if (id !== "" || !wanted.section.keyOf)
      await run(wanted.at, async () => wanted.section.link?.(ctx, tools, id, complete(wanted, ctx.realm), current));
  const doomed = await itemsToPrune(ctx, document, mayWrite, before, options);
  const written = doomed.length > 0 ? await readAll(ctx, tools, mayWrite) : before;
  const pruned = await prune(ctx, tools, doomed, run);
  if (faults.length > 0) throw faulty(faults);
  // Pruning an item may delete others, of any section.
  const touched = pruned.length > 0 ? mayWrite : new Set(steps.map(({ wanted }) => wanted.section));
  const after = await readAll(ctx, tools, touched);
  const along = deletedAlong(before, after, pruned);
  const contradicted = pruned.length > 0 ? contradictions(document, written, after, pruned, ctx.realm) : [];
  if (contradicted.length > 0) throw faulty(contradicted);
  return conclude(ctx, { document, options, after, steps, deleted: [...pruned, ...along], lacking });
}

async function readAll(ctx: ReadCtx, tools: SectionTools, list: Iterable<Section>): Promise<Map<Section, Present>> {
  const found = new Map<Section, Present>();
  for (const section of list) {
    const entries = numbered(section, await section.read(ctx, tools));
    found.set(section, new Map(entries.map((entry) => [normalKey(section, entry.key), entry])));
  }
  return found;
}

/** Returns the writes, sorted by section and key, so that a group comes after its parent. */
function stepsOf(
  ctx: ReadCtx,
  { items }: RealmDocument,
  mayWrite: readonly Section[],
  before: ReadonlyMap<Section, Present>,
  idle: ReadonlySet<Wanted>,
): Step[] {
  const byKey = (one: Wanted, other: Wanted) => (one.key < other.key ? -1 : 1);
  return mayWrite.flatMap((section) =>
    items
      .filter((wanted) => wanted.section === section && !idle.has(wanted))
      .sort(byKey)
      .map((wanted) => ({ wanted, current: before.get(section)!.get(normalKey(section, wanted.key)) ?? null, id: "" }))
      .filter(({ current }, at, all) => {
        const { item } = all[at]!.wanted;
        return current === null || !isSame(leanOf(section, item, ctx.realm), leanOf(section, current.item, ctx.realm), section.parts);
      }),
  );
}

const leanOf = (section: Section, item: Item, realm: string) => lean(item, section.defaults?.(item, realm) ?? {});

/** Returns the full state, as PUT takes it: members that the document leaves out have their defaults. */
function complete({ section, item }: Wanted, realm: string): Item {
  return { ...section.defaults?.(item, realm), ...item };
}

async function write(ctx: Ctx, tools: SectionTools, { wanted, current }: Step): Promise<string> {
  const { section } = wanted;
  const item = complete(wanted, ctx.realm);
  if (current) {
    await section.update?.(ctx, tools, current, item);
    return current.id;
  }
  if (!section.create) throw new AppError("transfer.not_created", 400, "Nothing can be created here", { errors: [] });
  return section.create(ctx, tools, item);
}

type Run = (at: string, work: () => Promise<unknown>) => Promise<boolean>;

/** Records every refusal of the function with the item's path, and continues with the next item, so that all faults are reported at once. */
const runner =
  (ctx: Ctx, faults: Fault[]): Run =>
  async (at, action) => {
    try {
      await inSavepoint(ctx.tx, action);
      return true;
    } catch (error) {
      if (!(error instanceof AppError) || error.status >= 500) throw error;
      const { errors = [], status, code, message } = error;
      if (errors.length === 0) faults.push({ field: at, code, message: `${at}: ${message}`, status });
      for (const one of errors)
        faults.push({ field: one.field === "" ? at : `${at}.${one.field}`, code: one.code, message: `${at}: ${one.message}`, status });
      return false;
    }
  };

interface Deleted {
  readonly section: Section;
  readonly entry: Entry;
}

/** Returns the items to prune, last created first: only items of the document's sections, none that are built in or that a section never removes. */
async function itemsToPrune(
  ctx: Ctx,
  { items }: RealmDocument,
  mayWrite: readonly Section[],
  before: ReadonlyMap<Section, Present>,
  { prune: mode, source }: ImportOptions,
): Promise<Deleted[]> {
  if (mode === "none") return [];
  const managed = source === null ? [] : await managedBy(ctx.tx, ctx.realm, source);
  const isOurs = (section: Section, entry: Entry) =>
    mode === "all" || managed.some((one) => one.section === section.name && one.key === entry.key && one.id === entry.id);
  return mayWrite.toReversed().flatMap((section) => {
    if (!section.remove) return [];
    const kept = new Set(items.filter((wanted) => wanted.section === section).map(({ key }) => normalKey(section, key)));
    const entries = [...before.get(section)!].filter(([key, entry]) => !kept.has(key) && !entry.isBuiltIn && isOurs(section, entry));
    return entries.sort(([one], [other]) => (one < other ? 1 : -1)).map(([, entry]) => ({ section, entry }));
  });
}

async function prune(ctx: Ctx, tools: SectionTools, doomed: readonly Deleted[], run: Run): Promise<Deleted[]> {
  const removed: Deleted[] = [];
  for (const one of doomed) if (await run(placeOf(one), () => one.section.remove!(ctx, tools, one.entry))) removed.push(one);
  return removed;
}

const placeOf = ({ section, entry }: Deleted): string => `${section.name}[${entry.key}]`;

/** Returns the other items that were deleted by pruning, such as the groups of an organization. */
function deletedAlong(before: ReadonlyMap<Section, Present>, after: ReadonlyMap<Section, Present>, pruned: readonly Deleted[]): Deleted[] {
  return [...after].flatMap(([section, present]) => {
    const ids = new Set([...present.values()].map(({ id }) => id));
    for (const one of pruned) if (one.section === section) ids.add(one.entry.id);
    const deleted = [...before.get(section)!].filter(([key, { id }]) => !present.has(key) && !ids.has(id));
    return deleted.map(([, entry]) => ({ section, entry }));
  });
}

/** Returns faults if pruning deleted or changed items of the document: the next import of the same document would have to write them again. */
function contradictions(
  { items }: RealmDocument,
  written: ReadonlyMap<Section, Present>,
  after: ReadonlyMap<Section, Present>,
  pruned: readonly Deleted[],
  realm: string,
): Fault[] {
  return items.flatMap((wanted): Fault[] => {
    const { section, at } = wanted;
    const [then, now] = [written, after].map((present) => present.get(section)?.get(normalKey(section, wanted.key)));
    if (!then) return [];
    if (!now) return [deletedWithOthers(at, causesOf(wanted, then.item, pruned))];
    const untouched = (section.parts ?? []).filter((part) => wanted.item[part] === undefined);
    const comparable = (entry: Entry) => leanOf(section, without(entry.item, ...untouched), realm);
    const changes = changesBetween(comparable(then), comparable(now));
    if (changes.length === 0) return [];
    const lost = changes.map(({ before }) => before);
    const members = changes.map(({ path }) => path).join(", ");
    return [changedWithOthers(at, members, causesOf(wanted, lost, pruned))];
  });
}

/** Returns the pruned items that name the wanted one, or that its lost values name; all of them if there are none. */
function causesOf(wanted: Wanted, lost: unknown, pruned: readonly Deleted[]): string[] {
  const causes = pruned.filter(({ entry }) => names(lost, entry.key) || names(entry.item, wanted.key));
  return (causes.length > 0 ? causes : pruned).map(placeOf);
}

function names(value: unknown, key: string): boolean {
  if (typeof value === "string") return value === key;
  return typeof value === "object" && value !== null && Object.values(value).some((one) => names(one, key));
}

interface Outcome {
  readonly document: RealmDocument;
  readonly options: ImportOptions;
  readonly after: ReadonlyMap<Section, Present>;
  readonly steps: readonly Step[];
  readonly deleted: readonly Deleted[];
  readonly lacking: Plan["lacking"];
}

/** Makes the plan from the state that was read after the writes, and records what was created and deleted. */
async function conclude(ctx: Ctx, { document, options, after, steps, deleted, lacking }: Outcome): Promise<Plan> {
  const made: ManagedObject[] = [];
  const idle: Wanted[] = [];
  const actions: Action[] = [];
  const generated: Plan["generated"] = [];
  for (const { wanted, current } of steps) {
    const { section, key } = wanted;
    const entry = after.get(section)?.get(normalKey(section, key));
    const states = [current, entry ?? null].map((one) => (one ? leanOf(section, one.item, ctx.realm) : {}));
    const changes = changesBetween(states[0], states[1]);
    if (changes.length === 0) {
      idle.push(wanted);
      continue;
    }
    actions.push({ section: section.name, key, action: current ? "update" : "create", changes });
    if (!current && entry) {
      made.push({ section: section.name, key: entry.key, id: entry.id });
      mapSecrets(entry.item, "", (_secret, path) => {
        if (section.keyOf && at(wanted.item, path) === undefined) generated.push({ section: section.name, key, path });
        return undefined;
      });
    }
  }
  if (idle.length > 0) throw new Again(idle);
  for (const { section, entry } of deleted) actions.push({ section: section.name, key: entry.key, action: "delete", changes: [] });
  const sorted = actions.sort((one, other) => (sortKey(one) < sortKey(other) ? -1 : 1));
  const digest = createHash("sha256")
    .update(JSON.stringify(ordered(options.newRealm ? [{ newRealm: ctx.realm }, ...sorted] : sorted)))
    .digest("hex"); // it never begins with a dash, as a command's flag does
  if (options.plan !== null && options.plan !== digest) throw transferErrors.plan_changed();
  const plan: Plan = { actions: sorted, sections: countsOf(document, sorted), generated, lacking, digest };
  if (options.dryRun) throw new Rehearsed(plan);
  if (options.source !== null) await recordManaged(ctx.tx, ctx.realm, options.source, made, ctx.now);
  await forgetManaged(
    ctx.tx,
    ctx.realm,
    deleted.map(({ section, entry }) => ({ section: section.name, key: entry.key, id: entry.id })),
  );
  if (sorted.length > 0) {
    const detail = `import${options.source === null ? "" : ` of ${options.source}`}: ${spell(sorted)}`;
    ctx.audit({ category: "ADMIN", type: "ADMIN_ACTION", resourceType: "import", resourceId: ctx.realm, detail });
  }
  return plan;
}

const at = (item: unknown, path: string): unknown =>
  path.split(".").reduce<unknown>((value, member) => (value as Record<string, unknown> | undefined)?.[member], item);

const sortKey = ({ section, key }: Action) => `${section}\u0000${key}`;

const spell = (actions: readonly Action[]): string =>
  (["create", "update", "delete"] as const)
    .map((kind) => [kind, actions.filter(({ action }) => action === kind).length] as const)
    .filter(([, count]) => count > 0)
    .map(([kind, count]) => `${count} ${kind}d`)
    .join(", ");

function countsOf({ sections, items }: RealmDocument, actions: readonly Action[]): Plan["sections"] {
  return Object.fromEntries(
    sections.map(({ name }) => {
      const of = actions.filter(({ section }) => section === name);
      const count = (kind: Action["action"]) => of.filter(({ action }) => action === kind).length;
      const [created, updated, deleted] = [count("create"), count("update"), count("delete")];
      const unchanged = items.filter(({ section }) => section.name === name).length - created - updated;
      return [name, { created, updated, deleted, unchanged }];
    }),
  );
}
