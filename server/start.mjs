// `npm start`: builds when the sources changed since the last build, then becomes the server.
// The server runs in this process, so that a signal reaches it and nothing stands between it and its exit code.
import { fileURLToPath } from "node:url";
import { BuildError, buildWhenStale } from "./build.mjs";

try {
  await buildWhenStale();
} catch (error) {
  if (!(error instanceof BuildError)) throw error;
  console.error(error.message);
  process.exit(1);
}

const main = new URL("dist/main.js", import.meta.url);
process.argv = [process.argv[0] ?? "", fileURLToPath(main), "start", ...process.argv.slice(2)];
await import(main.href);
