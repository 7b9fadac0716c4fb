import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { commandNames, entryOf, optionsOf } from "./commands.ts";

const page = fileURLToPath(new URL("../../../docs/cli.md", import.meta.url));

const intro = `# The command line

<!-- This page is made from the list of commands in the code; \`npx vitest run --project plain src/cli/reference.test.ts -u\` in \`server/\` writes it again. -->

\`gatehouse <command> [flags]\`, in a checkout \`node server/dist/main.js <command>\`, in Docker \`docker compose exec gatehouse gatehouse <command>\`.

- Every command takes \`--json\` (the answer on stdout, an error on stderr, both as JSON) and \`--help\`.
- Exit code 0: done. 1: it did not work, and the message says why. 2: the command was not written rightly; of \`apply\`, \`diff\` and \`realm import\` that is a 1, because 2 says there that something would change.
- Commands that read the configuration take its flags and variables too: see [configuration](configuration.md).
- Commands work on the database itself and need no running server. On Postgres they work while servers run, and every node sees the change; the embedded database serves one process, so stop the server first.
- A password that a command makes up is shown once, on a terminal or with \`--json\`, and kept nowhere. What a command does is in the audit trail under the name \`cli\`.
`;

test("docs/cli.md lists every command and flag there is", async () => {
  const configured = new Set(optionsOf({ summary: "", readsConfig: true }, null).map(({ name }) => name));
  const sections = commandNames.map((name) => {
    const { summary, actions, args = [], readsConfig = false } = entryOf(name);
    const forms = actions ? Object.entries(actions) : [[null, { summary, args }] as const];
    const blocks = forms.flatMap(([action, shape]) => {
      const line = ["gatehouse", name, action, ...(shape.args ?? [])].filter((word) => word !== null).join(" ");
      const flags = optionsOf(entryOf(name), action).filter((option) => !configured.has(option.name));
      const rows = flags.map((option) => `- \`--${option.name}${option.value === null ? "" : ` <${option.value}>`}\`: ${option.doc}`);
      return ["", `### \`${line}\``, "", `${shape.summary}.`, ...(rows.length > 0 ? ["", ...rows] : [])];
    });
    const reads = readsConfig ? " Reads the configuration." : "";
    return [
      `\n## ${name}`,
      "",
      `${summary}.${reads}`,
      ...(actions || args.length > 0 || blocks.some((row) => row.startsWith("- ")) ? blocks : []),
    ].join("\n");
  });
  await expect(`${intro}${sections.join("\n")}\n`).toMatchFileSnapshot(page);
});
