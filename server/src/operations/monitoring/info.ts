import { existsSync, readFileSync } from "node:fs";
import { clock } from "../../kernel/clock.ts";
import { packageFile } from "../../kernel/package.ts";
import type { ServerInfo } from "./schema.ts";

/** A build from a repository writes the commit beside the compiled code; a source checkout has no such file. */
const COMMIT_FILE = packageFile("dist/commit.txt");

/** What `GET /monitoring/info` says for as long as the process lives. */
export const serverInfo = (version: string, mode: ServerInfo["mode"]): ServerInfo => ({
  name: "gatehouse",
  version,
  commit: existsSync(COMMIT_FILE) ? readFileSync(COMMIT_FILE, "utf8").trim() || null : null,
  nodeVersion: process.versions.node,
  mode,
  startedAt: clock.now(),
});
