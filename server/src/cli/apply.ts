import { readVariable } from "../config/environment.ts";
import type { Core } from "../core.ts";
import { addTo } from "../kernel/lists.ts";
import type { ImportOptions } from "../operations/transfer/index.ts";
import { type Command, type ExitCode, type Invocation, UsageError } from "./command.ts";
import { withCore } from "./core.ts";
import { DOCUMENT_SCHEMA, type Document, filesOf, readDocuments } from "./documents/read.ts";
import { spellPlan } from "./documents/spell.ts";
import { type ApplyOptions, databaseTarget, serverTarget } from "./documents/targets.ts";
import { readPassword } from "./secrets.ts";

/** Runs `apply` and `diff`. */
export const run: Command = (call) => applyDocument(call, null);

/** Applies a document. `realm import` calls it too, and names the realm. */
export async function applyDocument(call: Invocation, named: string | null): Promise<ExitCode> {
  const document = documentOf(call);
  const realm = named ?? realmOf(call.options.realm ?? document.realm, call.command);
  if (typeof document.realm === "string" && document.realm !== realm)
    call.note(`The document names the realm ${document.realm}. Its content goes to ${realm}, because the command names that realm.`);
  const file = call.options["passphrase-file"];
  const passphrase = typeof file === "string" ? await readPassword(file, "passphrase") : null;
  const options: ApplyOptions = { ...optionsOf(call, named === null), createsRealm: named === null, passphrase };
  const remote = await serverTarget(call);
  const done = await (remote
    ? remote.import(realm, document, options)
    : withCore(call, (core) => databaseTarget(core).import(realm, document, options)));
  if (!done) throw new Error(`There is no realm “${realm}”${remote ? ELSEWHERE : `. "gatehouse realm create ${realm}" creates it.`}`);
  call.print(done, spellPlan(done));
  if (done.newRealm && !done.dryRun)
    call.note(`Created the realm ${realm}. Give its administrator a password: gatehouse admin reset-password --realm ${realm}`);
  return options.dryRun && (done.newRealm || done.actions.length > 0) ? 2 : 0;
}

const ELSEWHERE =
  " on that server. Create it there first, in the console or by POST /admin/realms: apply creates a realm only without --server.";

/** Applies every document of a folder, before a server starts. */
export async function applyAtStart(core: Core, path: string, note: (text: string) => void): Promise<void> {
  const target = databaseTarget(core);
  const options: ApplyOptions = { dryRun: false, prune: "none", source: "start", plan: null, createsRealm: true, passphrase: null };
  for (const [realm, document] of byRealm(filesOf(path))) {
    const done = await target.import(realm, document, options);
    note(`Applied ${path} to the realm ${realm}: ${done!.actions.length} changed.`);
  }
}

/** Joins the files of each realm into one document. */
function byRealm(files: readonly string[]): Map<string, Document> {
  const groups = new Map<string, string[]>();
  for (const file of files) {
    const { realm } = readDocuments([file], () => "");
    const name = realmOf(realm, "start", file);
    addTo(groups, name, file);
  }
  return new Map([...groups].map(([realm, its]) => [realm, { schema: DOCUMENT_SCHEMA, ...readDocuments(its, readVariable) }]));
}

function documentOf(call: Invocation): Document {
  const { file } = call.options;
  if (typeof file !== "string") throw new UsageError("Name a file or a folder: -f realm.yaml", call.command);
  return { schema: DOCUMENT_SCHEMA, ...readDocuments(filesOf(file), readVariable) };
}

function realmOf(given: unknown, command: string, file?: string): string {
  if (typeof given === "string" && given !== "") return given;
  if (file !== undefined) throw new Error(`${file} names no realm: add a line such as "realm: acme".`);
  throw new UsageError('Which realm? Add "realm: acme" to the document, or --realm.', command);
}

function optionsOf(call: Invocation, isNamed: boolean): Omit<ImportOptions, "newRealm"> {
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
