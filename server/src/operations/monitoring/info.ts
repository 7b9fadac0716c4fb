import { existsSync, readFileSync } from "node:fs";
import { clock } from "../../kernel/clock.ts";
import type { ServerInfo } from "./schema.ts";

/** A build from a repository puts this file beside the bundle; the sources have none. */
const COMMIT_FILE = new URL("./commit.txt", import.meta.url);

/** The response of `GET /monitoring/info`, constant while the process lives. */
export const serverInfo = (version: string, mode: ServerInfo["mode"]): ServerInfo => ({
  name: "gatehouse",
  version,
  commit: existsSync(COMMIT_FILE) ? readFileSync(COMMIT_FILE, "utf8").trim() || null : null,
  nodeVersion: process.versions.node,
  mode,
  startedAt: clock.now(),
});
