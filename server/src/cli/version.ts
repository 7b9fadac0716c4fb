import { readFileSync } from "node:fs";
import type { Command } from "./command.ts";

interface Manifest {
  readonly version: string;
  readonly engines: { readonly node: string };
}

/** The package's own description; it lies beside the folder of the sources and of the build alike. */
export const manifest = (): Manifest => JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));

export const run: Command = async (call) => {
  const { version } = manifest();
  call.print({ version, node: process.versions.node }, `gatehouse ${version} (Node ${process.versions.node})`);
  return 0;
};
