import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { randomToken } from "../kernel/vault.ts";
import { type Invocation, UsageError } from "./command.ts";

export interface ChosenPassword {
  readonly password: string;
  /** Null if the caller supplied the password, and so knows it. */
  readonly toShow: string | null;
}

/** Returns the password from the file that an option names. Without the option it makes one, which is shown once: on a terminal, or in JSON. */
export async function choosePassword(call: Invocation, option: string): Promise<ChosenPassword> {
  const file = call.options[option];
  if (typeof file === "string") return { password: await readPassword(file), toShow: null };
  if (!call.json && !process.stdout.isTTY) {
    throw new UsageError(
      `A generated password is shown only on a terminal or with --json, so that no log gets it. Use one of these, or --${option}.`,
      call.command,
    );
  }
  const password = randomToken().slice(0, 24);
  return { password, toShow: password };
}

/** Reads a secret from a file, without the line break at its end. */
export async function readPassword(file: string, what = "password"): Promise<string> {
  const content = await (file === "-" ? text(process.stdin) : readFile(file, "utf8")).catch((error: NodeJS.ErrnoException) => {
    throw new Error(`The ${what} file ${file} cannot be read (${error.code ?? error.message}).`);
  });
  const password = content.replace(/[\r\n]+$/, "");
  if (password === "") throw new Error(`The ${what} file ${file} is empty.`);
  return password;
}
