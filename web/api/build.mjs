// Writes dist/gatehouse-api.mjs: the client as one file without dependencies, for scripts that Node runs directly. Its types are beside it.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "vite";

const here = fileURLToPath(new URL(".", import.meta.url));
const outDir = join(here, "dist");
mkdirSync(outDir, { recursive: true });
await build({
  root: here,
  configFile: false,
  logLevel: "error",
  build: {
    outDir,
    emptyOutDir: false,
    minify: false,
    lib: { entry: join(here, "src/index.ts"), formats: ["es"], fileName: () => "gatehouse-api.mjs" },
  },
});
writeFileSync(join(outDir, "gatehouse-api.d.mts"), 'export * from "../src/index.ts";\n');
