// Runs `npm start`: builds if the sources changed since the last build, then becomes the server.
// The server runs in this process, so that signals reach it directly and the process ends with its exit code.
import module from "node:module";
import { fileURLToPath } from "node:url";
import { BuildError, buildConsoleMeanwhile, buildWhenStale } from "./build.mjs";

// From Node 22 on, the compiled program is cached, which halves the work of loading it again. A folder that cannot be written is no error.
/** @type {{ enableCompileCache?: (folder: string) => unknown }} */ (module).enableCompileCache?.(
  fileURLToPath(new URL(".cache/compiled", import.meta.url)),
);

try {
  const { template } = await buildWhenStale();
  template.catch(() => {}); // The process that makes it prints the reason, and a start that waits for it fails.
  await buildConsoleMeanwhile();
  // The duration of a start is measured from here.
  performance.mark("gatehouse");
  const { runCli } = await import(new URL("dist/cli.js", import.meta.url).href);
  process.exitCode = await runCli(["start", ...process.argv.slice(2)], { template });
} catch (error) {
  if (!(error instanceof BuildError)) throw error;
  console.error(error.message);
  process.exit(1);
}
