import { Readable } from "node:stream";
import { runCli } from "../cli/run.ts";
import type { Outcome, Place } from "./built-server.ts";

/**
 * Runs a command to its end in this process, in the folder and the environment of a place: starting Node and loading the program takes longer than most
 * commands. The environment belongs to the whole process, so commands run one after the other.
 */
export async function runHere({ folder, env }: Place, args: readonly string[], more = {}, stdin = ""): Promise<Outcome> {
  const written = { out: "", err: "" };
  const before = { env: process.env, folder: process.cwd(), log: console.log, error: console.error };
  const input = Object.getOwnPropertyDescriptor(process, "stdin")!;
  try {
    process.env = { ...env, ...more };
    process.chdir(folder);
    Object.defineProperty(process, "stdin", { configurable: true, value: Readable.from([stdin]) });
    console.log = (text: string) => {
      written.out += `${text}\n`;
    };
    console.error = (text: string) => {
      written.err += `${text}\n`;
    };
    return { code: await runCli(args), ...written };
  } finally {
    console.log = before.log;
    console.error = before.error;
    Object.defineProperty(process, "stdin", input);
    process.chdir(before.folder);
    process.env = before.env;
  }
}
