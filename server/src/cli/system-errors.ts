import { writeFile } from "node:fs/promises";

/** The text of an error of the operating system, and its remedy. Commands, a start and `doctor` say the same. */
export interface Explained {
  readonly message: string;
  readonly advice: string;
}

const owner = (place: string) => `Give it to the user that runs Gatehouse, or choose ${place}.`;
const room = (place: string) => `Make room, or choose ${place} on a larger disk.`;
const other = (place: string) => `Choose ${place}.`;

/** The fault of a path by its error code, and its remedy. `place` names the alternative. */
const PATHS: Readonly<Record<string, readonly [why: string, advice: (place: string) => string]>> = {
  EACCES: ["this user may not read or write it", owner],
  EPERM: ["this user may not read or write it", owner],
  EROFS: ["its disk is read-only", other],
  ENOSPC: ["the disk is full", room],
  EDQUOT: ["this user's share of the disk is full", room],
  ENOENT: ["the folder for it does not exist", (place) => `Create that folder, or choose ${place}.`],
  EEXIST: ["there is a file where a folder is needed", other],
  ENOTDIR: ["there is a file where a folder is needed", other],
  EISDIR: ["it is a folder, not a file", other],
};

const DATA_DIR = "another GATEHOUSE_DATA_DIR";

export const NO_ROOM = room(DATA_DIR);

function explainPath(code: string, path: string, place = "another path"): Explained {
  const [why, advice] = PATHS[code] ?? ["the system refuses it", owner];
  return { message: `${path} cannot be used: ${why} (${code}).`, advice: advice(place) };
}

export const explainDataDir = (code: string, path: string): Explained => explainPath(code, path, DATA_DIR);

/** Explains a failure to listen at an address. */
export function explainListen(code: string, where: string): Explained {
  if (code === "EADDRINUSE") return { message: `Another program uses ${where}.`, advice: "Stop it, or choose another GATEHOUSE_PORT." };
  const message = `Cannot listen on ${where}: ${code}.`;
  if (code === "EACCES") return { message, advice: "Choose a port above 1023 (GATEHOUSE_PORT)." };
  return { message, advice: "Choose an address of this machine (GATEHOUSE_HOST)." };
}

interface SystemError extends NodeJS.ErrnoException {
  readonly address?: string;
  readonly port?: number;
}

function explain({ code, syscall, path, address, port }: SystemError, { dataDir, file }: Place): Explained | null {
  if (code === undefined || syscall === undefined) return null;
  if (syscall === "listen") return explainListen(code, `${address}:${port}`);
  // An error while writing to an open file names no path.
  const at = path ?? (code in PATHS ? (file ?? dataDir) : undefined);
  if (at === undefined) return null;
  return dataDir !== undefined && at.startsWith(dataDir) ? explainDataDir(code, at) : explainPath(code, at);
}

/** The data folder that a command works in, or the file that it writes. */
interface Place {
  readonly dataDir?: string;
  readonly file?: string;
}

/** Returns an error of the operating system in words, or any other error unchanged. */
export function inWords(error: unknown, place: Place = {}): unknown {
  const explained = error instanceof Error ? explain(error, place) : null;
  return explained ? new Error(`${explained.message} ${explained.advice}`, { cause: error }) : error;
}

/** Writes the answer of a command to the file that `--out` names. */
export async function writeOut(file: string, text: string, mode?: number): Promise<void> {
  await writeFile(file, `${text}\n`, { mode }).catch((error) => {
    throw inWords(error, { file });
  });
}
