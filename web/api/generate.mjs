// Writes the types of the admin API from server/openapi.json into src/schema.d.ts, which is not committed. A renamed member then breaks the build.

import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";

const document = new URL("../../server/openapi.json", import.meta.url);
const target = new URL("./src/schema.d.ts", import.meta.url);
const source = readFileSync(document);
const stamp = `// ${createHash("sha256").update(source).digest("hex")}\n`;

const made = () => {
  try {
    return readFileSync(target, "utf8").startsWith(stamp);
  } catch {
    return false;
  }
};

if (!made()) {
  const { default: openapiTS, astToString } = await import("openapi-typescript");
  writeFileSync(target, stamp + astToString(await openapiTS(document)));
}
