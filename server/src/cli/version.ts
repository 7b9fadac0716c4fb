import { manifest } from "../kernel/package.ts";
import type { Command } from "./command.ts";

export const run: Command = async (call) => {
  const { version } = manifest();
  call.print({ version, node: process.versions.node }, `gatehouse ${version} (Node ${process.versions.node})`);
  return 0;
};
