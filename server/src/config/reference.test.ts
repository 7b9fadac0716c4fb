import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { describe as describeSetting, settingNames } from "./settings.ts";

test("docs/configuration.md lists every setting as the code has it", async () => {
  const file = fileURLToPath(new URL("../../../docs/configuration.md", import.meta.url));
  const rows = settingNames.map((name) => {
    const { env, envAlias, flag, defaultText, secret, doc } = describeSetting(name);
    const variables = [env, ...(envAlias ? [envAlias] : [])].map((variable) => `\`${variable}\``).join(" or ");
    return `| \`${name}\` | ${variables} | ${flag ? `\`--${flag.name}\`` : ""} | ${defaultText} | ${secret ? "**Secret.** " : ""}${doc} |`;
  });
  const table = ["| in yaml | variable | flag | default | what it is |", "|---|---|---|---|---|", ...rows].join("\n");
  const expected = readFileSync(file, "utf8").replace(
    /(<!-- settings: .*? -->\n).*?(<!-- \/settings -->)/s,
    (_, begin, end) => `${begin}\n${table}\n\n${end}`,
  );
  expect(expected).toContain(table);
  await expect(expected).toMatchFileSnapshot(file);
});
