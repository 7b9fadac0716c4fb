import { fileURLToPath } from "node:url";
import { defineConfig, type Plugin } from "vite";
import { schemaModules } from "./schema-modules.ts";

/** `boot.ts` is a file without imports, which runs before the shell has come. */
const bootFirst: Plugin = {
  name: "boot-first",
  transformIndexHtml: {
    order: "post",
    handler(_html, { bundle }) {
      const boot = Object.values(bundle ?? {}).find((chunk) => chunk.type === "chunk" && chunk.name === "boot");
      const src = boot ? `/console/${boot.fileName}` : "/console/src/boot.ts";
      return [{ tag: "script", attrs: { type: "module", async: true, crossorigin: true, src }, injectTo: "head-prepend" }];
    },
  },
};

export default defineConfig({
  base: "/console/",
  plugins: [schemaModules(new URL("../../server/openapi.json", import.meta.url)), bootFirst],
  build: {
    target: "es2022",
    cssCodeSplit: false,
    // The policy of the page allows no inline style; a file of its own is cached for good.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 800,
    rolldownOptions: {
      input: { index: fileURLToPath(new URL("index.html", import.meta.url)), boot: fileURLToPath(new URL("src/boot.ts", import.meta.url)) },
      output: {
        codeSplitting: {
          groups: [
            // The shell is one file: forty small ones wait for each other on six connections.
            { name: "shell", tags: ["$initial"], test: (id) => !id.endsWith("boot.ts"), priority: 2 },
            // So are lists, records and forms, which nearly every area shows.
            { name: "records", test: /[\\/]kit[\\/](list-page|record-page|edit-form|sub-list)[.]tsx$/, priority: 1 },
          ],
        },
      },
    },
  },
  server: { proxy: { "^/(admin|realms|assets|v3|favicon)": "http://localhost:8080" } },
});
