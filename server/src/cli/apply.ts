import { readVariable } from "../config/environment.ts";
import type { Core } from "../core.ts";
import { AppError } from "../kernel/errors.ts";
import { randomToken } from "../kernel/vault.ts";
import type { ImportOptions } from "../operations/transfer/index.ts";
import { shippedBreaches } from "../platform/passwords/index.ts";
import { CreateRealm, createRealm, MASTER, prepareRealm } from "../tenancy/realms/index.ts";
import { checked } from "./checked.ts";
import { type Command, type ExitCode, type Invocation, UsageError } from "./command.ts";
import { cliOrigin, withCore } from "./core.ts";
import { DOCUMENT_SCHEMA, type Document, filesOf, readDocuments } from "./documents/read.ts";
import { spellPlan } from "./documents/spell.ts";
import { databaseTarget, serverTarget, type Target } from "./documents/targets.ts";
import { readPassword } from "./secrets.ts";

/** `apply` and `diff`. */
export const run: Command = (call) => applyDocument(call, null);

/** Also `realm import`, which names the realm. */
export async function applyDocument(call: Invocation, named: string | null): Promise<ExitCode> {
  const document = documentOf(call);
  const realm = named ?? realmOf(call.options.realm ?? document.realm, call.command);
  const options = optionsOf(call, named === null);
  const file = call.options["passphrase-file"];
  const passphrase = typeof file === "string" ? await readPassword(file, "passphrase") : null;
  const apply = (target: Target) => target.import(realm, document, options, passphrase);
  const remote = await serverTarget(call);
  const done = remote
    ? await apply(remote)
    : await withCore(call, async (core) => {
        const target = databaseTarget(core);
        const first = await apply(target);
        if (first || options.dryRun || named !== null) return first;
        // A plan that was shown is of a realm that was there.
        if (options.plan !== null)
          throw new Error(
            `There is no realm “${realm}”, so the plan is of another state. Nothing was changed; apply without --plan creates it.`,
          );
        if (await createMissing(core, realm))
          call.note(`Created the realm ${realm}. Let its administrator in by: gatehouse admin reset-password --realm ${realm}`);
        return apply(target);
      });
  if (!done) return missing(call, realm, options, remote !== null);
  call.print(done, spellPlan(done));
  return options.dryRun && done.actions.length > 0 ? 2 : 0;
}

function missing(call: Invocation, realm: string, { dryRun }: ImportOptions, isRemote: boolean): ExitCode {
  if (isRemote || !dryRun || call.command === "realm")
    throw new Error(`There is no realm “${realm}”. "gatehouse realm create ${realm}" makes it.`);
  call.print({ realm, missing: true }, `There is no realm “${realm}” yet: apply creates it.`);
  return 2;
}

/** Applies every document of a folder, before a server starts. */
export async function applyAtStart(core: Core, path: string, note: (text: string) => void): Promise<void> {
  const target = databaseTarget(core);
  const options: ImportOptions = { dryRun: false, prune: "none", source: "start", plan: null };
  for (const [realm, document] of byRealm(filesOf(path))) {
    if (!(await core.realms.get(realm))) await createMissing(core, realm);
    const done = await target.import(realm, document, options, null);
    note(`Applied ${path} to the realm ${realm}: ${done!.actions.length} changed.`);
  }
}

/** The files of each realm as one document. */
function byRealm(files: readonly string[]): Map<string, Document> {
  const groups = new Map<string, string[]>();
  for (const file of files) {
    const { realm } = readDocuments([file], () => "");
    const name = realmOf(realm, "start", file);
    groups.set(name, [...(groups.get(name) ?? []), file]);
  }
  return new Map([...groups].map(([realm, its]) => [realm, { schema: DOCUMENT_SCHEMA, ...readDocuments(its, readVariable) }]));
}

/** Its administrator has a password that is not shown: a command sets another. False: another node was quicker, and the realm is there. */
async function createMissing(core: Core, realm: string): Promise<boolean> {
  const input = checked(CreateRealm, { realm });
  const { seed } = await prepareRealm({ ...core, breaches: shippedBreaches() }, { ...input, adminPassword: randomToken() });
  try {
    await core.work.transact(cliOrigin(MASTER), (ctx) => createRealm(ctx, seed));
    return true;
  } catch (error) {
    // The name of a realm that is still being deleted is taken, too.
    if (error instanceof AppError && error.code === "realms.name_taken" && (await core.realms.get(realm))) return false;
    throw error;
  }
}

function documentOf(call: Invocation): Document {
  const { file } = call.options;
  if (typeof file !== "string") throw new UsageError("Which file? -f realm.yaml, or a folder.", call.command);
  return { schema: DOCUMENT_SCHEMA, ...readDocuments(filesOf(file), readVariable) };
}

function realmOf(given: unknown, command: string, file?: string): string {
  if (typeof given === "string" && given !== "") return given;
  if (file !== undefined) throw new Error(`${file} names no realm: add a line such as "realm: acme".`);
  throw new UsageError('Which realm? Add "realm: acme" to the document, or --realm.', command);
}

function optionsOf(call: Invocation, isNamed: boolean): ImportOptions {
  const { options } = call;
  const text = (name: string) => (typeof options[name] === "string" ? (options[name] as string) : null);
  const source = isNamed ? (text("source") ?? "apply") : null;
  if (source !== null && !/^[A-Za-z0-9._-]{1,64}$/.test(source))
    throw new UsageError("--source takes letters, digits and ._-, at most 64.", call.command);
  return {
    dryRun: call.command === "diff" || options["dry-run"] === true,
    prune: options["prune-all"] === true ? "all" : options.prune === true ? "source" : "none",
    source,
    plan: text("plan"),
  };
}
