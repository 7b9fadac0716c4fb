import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { commandNames, entryOf, optionsOf } from "./commands.ts";

const page = fileURLToPath(new URL("../../../docs/cli.md", import.meta.url));

const intro = `# The command line

<!-- This page is made from the list of commands in the code; \`npx vitest run --project plain src/cli/reference.test.ts -u\` in \`server/\` writes it again. -->

Run \`gatehouse <command> [flags]\`. In a checkout run \`node server/dist/main.js <command>\`, in Docker \`docker compose exec gatehouse gatehouse <command>\`.

- Every command takes \`--help\` and \`--json\`. With \`--json\` it prints its result on stdout and an error on stderr, both as JSON.
- Exit code 0 means success. 1 means that the command failed; the message says why. 2 means wrong usage. \`apply\`, \`diff\` and \`realm import\` end with 1 after wrong usage, because their exit code 2 means that something would change.
- Commands that read the configuration also take its flags and variables: see [configuration](configuration.md).
- Commands work on the database itself and need no running server. On Postgres they also work while servers run, and every node sees the change. The embedded database serves one process, so stop the server first.
- A command shows a generated password once, on a terminal or with \`--json\`, and stores it nowhere. The audit trail records commands under the name \`cli\`.
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
      const said = actions ? ["", `${shape.summary}.`] : []; // the heading above says it otherwise
      return ["", `### \`${line}\``, ...said, ...(rows.length > 0 ? ["", ...rows] : [])];
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
