import { defineConfig } from "vite";
import { schemaModules } from "./schema-modules.ts";

export default defineConfig({
  base: "/console/",
  plugins: [schemaModules(new URL("../../server/openapi.json", import.meta.url))],
  build: {
    target: "es2022",
    cssCodeSplit: false,
    // The policy of the page allows no inline style; a file of its own is cached for good.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 800,
  },
  server: { proxy: { "^/(admin|realms|assets|v3|favicon)": "http://localhost:8080" } },
});
