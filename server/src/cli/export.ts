import { stringify } from "yaml";
import { type ExportChoice, wrongSections } from "../operations/transfer/index.ts";
import { type ExitCode, type Invocation, UsageError } from "./command.ts";
import { requireRealm, withCore } from "./core.ts";
import { databaseTarget, serverTarget } from "./documents/targets.ts";
import { readPassword } from "./secrets.ts";
import { writeOut } from "./system-errors.ts";

/** Runs `realm export`. */
export async function exportRealm(call: Invocation): Promise<ExitCode> {
  const [realm = ""] = call.args;
  const { out, sections, full, "passphrase-file": file } = call.options;
  const wrong = typeof sections === "string" ? wrongSections(sections) : null;
  if (wrong !== null) throw new UsageError(`--sections: ${wrong}`, call.command);
  const isJson = formatOf(call) === "json";
  const choice: ExportChoice = {
    sections: typeof sections === "string" ? sections : null,
    full: full === true,
    users: call.options.users === true,
    passphrase: typeof file === "string" ? await readPassword(file, "passphrase") : null,
  };
  const remote = await serverTarget(call);
  const document = remote
    ? await remote.export(realm, choice)
    : await withCore(call, async (core) => {
        await requireRealm(core, realm);
        return databaseTarget(core).export(realm, choice);
      });
  const text = isJson ? JSON.stringify(document, null, 2) : stringify(document, { lineWidth: 0, aliasDuplicateObjects: false }).trimEnd();
  if (typeof out !== "string") {
    call.print(document, text);
    return 0;
  }
  await writeOut(out, text, 0o600);
  call.print({ realm, file: out }, `Wrote the realm ${realm} to ${out}.`);
  return 0;
}

function formatOf({ options: { format, out }, command }: Invocation): "yaml" | "json" {
  if (format === "yaml" || format === "json") return format;
  if (format !== undefined) throw new UsageError(`--format takes yaml or json, got "${format}".`, command);
  return typeof out === "string" && out.endsWith(".json") ? "json" : "yaml";
}
