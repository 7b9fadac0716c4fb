import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Server } from "../app.ts";
import type { FirstStart } from "../bootstrap.ts";
import { type Config, loadConfig } from "../config.ts";
import type { Core } from "../core.ts";
import { manifest } from "../kernel/package.ts";
// The index is not imported, because it loads the database libraries, and the folder should already be opening while they load.
import { embeddedFolder, openEmbedded } from "../platform/db/pglite-database.ts";
import type { Command, Invocation } from "./command.ts";
import { stopOnSignals } from "./stop.ts";
import { inWords } from "./system-errors.ts";

/** Starts the server and returns once it listens. The server then runs until a signal. */
export const run: Command = async (call) => {
  const config = loadConfig({ flags: call.options });
  const isNew = config.databaseUrl === null && !existsSync(embeddedFolder(config.dataDir));
  // Half of a start is the embedded database and half is loading code, so two threads do both at once.
  const open = async () => {
    if (isNew) await call.template;
    return openEmbedded(config.dataDir);
  };
  const embedded = config.databaseUrl === null ? open() : undefined;
  embedded?.catch(() => {}); // beginCore's `ready` waits for it, and reports the failure
  let core: Core | undefined;
  let server: Server | undefined;
  try {
    const [{ createApp }, { beginCore }, { bootstrap, prepareFirstStart }] = await Promise.all([
      import("../app.ts"),
      import("../core.ts"),
      import("../bootstrap.ts"),
    ]);
    // Keys take a while to make, so they are made while a new folder is being created.
    const prepared = isNew ? prepareFirstStart(config) : undefined;
    prepared?.catch(() => {}); // bootstrap waits for it
    const begun = await beginCore(config, { embedded });
    core = begun.core;
    // Routes do not query the database while they are registered, so this happens while it opens.
    server = await createApp(core);
    await begun.ready;
    const firstStart = await bootstrap(core, prepared);
    const { apply } = call.options;
    if (typeof apply === "string") await (await import("./apply.ts")).applyAtStart(core, apply, call.note);
    await server.start();
    // This comes before the first request can be answered: a caller with an answer may already send a signal.
    stopOnSignals(core, server);
    await server.app.listen({ host: config.host, port: config.port });
    announce(call, core, firstStart);
  } catch (error) {
    await server?.close();
    await core?.close();
    await embedded?.then((opened) => opened.close()).catch(() => {}); // its failure is the one that is being thrown
    throw inWords(error, { dataDir: config.dataDir });
  }
  return 0;
};

/** Prints the addresses for a person at a terminal who has just started the server. Logs go to stdout. */
function announce(call: Invocation, { config, database }: Core, firstStart: FirstStart | null): void {
  const { baseUrl } = config;
  const where = database.kind === "embedded" ? `embedded, in ${config.dataDir}` : "Postgres";
  const began = performance.getEntriesByName("gatehouse")[0]?.startTime ?? 0;
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  const lines = [
    `Gatehouse ${manifest().version} is ready in ${seconds} s (${config.mode}, database: ${where})`,
    "",
    `  Console     ${baseUrl}/console/`,
    `  Sign in     ${baseUrl}/realms/master/login`,
    `  API docs    ${baseUrl}/interactive-docs.html`,
    `  Health      ${baseUrl}/monitoring/health`,
    ...(config.mode === "development" ? [`  Demo realm  ${baseUrl}/realms/demo/login`] : []),
    ...firstPassword(config, firstStart),
  ];
  call.note(lines.join("\n"));
}

function firstPassword({ dataDir }: Config, firstStart: FirstStart | null): string[] {
  const kept = join(dataDir, "initial-admin-password");
  // A first start left the file there, and was killed before it could print this.
  if (!firstStart) return existsSync(kept) ? ["", `  The first password of admin is in ${kept}: change it, then delete the file.`] : [];
  if (firstStart.generatedPassword === null) return ["", "  The user admin of the realm master has the password you configured."];
  // The password is shown on a terminal only, because a log collector would keep it.
  const password = process.stderr.isTTY ? firstStart.generatedPassword : `in the file ${firstStart.passwordFile}`;
  return [
    "",
    "  Username    admin",
    `  Password    ${password}`,
    process.stderr.isTTY
      ? `  It is also in ${firstStart.passwordFile}. Change the password, then delete the file.`
      : "  Change the password, then delete the file.",
  ];
}
