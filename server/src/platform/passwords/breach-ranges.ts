import { opendir, readFile } from "node:fs/promises";
import { withoutEnding } from "../../kernel/text.ts";
import { createOutbound } from "../outbound/index.ts";

/** A corpus in the range format of Have I Been Pwned: a request names the first five digits of a SHA-1, and gets all hashes that begin with them. */
export interface BreachRanges {
  /** Returns the lines `SUFFIX:COUNT` of the range. Throws if the corpus is unavailable. */
  range(prefix: string): Promise<string>;
  /** Throws if the corpus is unavailable. */
  probe(): Promise<void>;
  close(): Promise<void>;
}

/** The limit from the request to the last byte. Meanwhile a user waits for their new password. */
const TIMEOUT_MS = 1_500;
/** A range has about 100 kB. */
const MAX_BYTES = 1024 * 1024;

const codeOf = (error: unknown): string => String((error as NodeJS.ErrnoException | null)?.code ?? "unknown");

/** A folder of files whose names are prefixes, `0A1B2` or `0A1B2.txt`, as the downloader of Have I Been Pwned writes them. */
export function folderRanges(folder: string): BreachRanges {
  // The message names only the code of the error: the path of a range would reveal in the log how a password's hash begins.
  const unreadable = (error: unknown) => new Error(`the folder of breached passwords cannot be read (${codeOf(error)})`);
  const probe = async () => {
    const files = await opendir(folder).catch((error) => {
      throw unreadable(error);
    });
    for await (const { name } of files) if (/^[0-9A-F]{5}([.]txt)?$/.test(name)) return;
    throw new Error("the folder of breached passwords holds no ranges: files named 00000.txt to FFFFF.txt are expected");
  };
  return {
    async range(prefix) {
      for (const name of [`${prefix}.txt`, prefix]) {
        try {
          return await readFile(`${folder}/${name}`, "latin1");
        } catch (error) {
          if (codeOf(error) !== "ENOENT") throw unreadable(error);
        }
      }
      // An operator's own corpus need not have every range. But if the whole folder is gone, the probe throws.
      await probe();
      return "";
    },
    probe,
    close: async () => {},
  };
}

/** A server that answers `GET <url>/<prefix>`. The address comes from the settings, so it needs no separate permission. */
export function urlRanges(written: string): BreachRanges {
  const url = new URL(written);
  const outbound = createOutbound({ allowedHosts: [url.host], allowLoopbackHttp: false });
  const range = async (prefix: string) => {
    const address = new URL(url);
    address.pathname = `${withoutEnding(url.pathname, "/")}/${prefix}`;
    const answer = await outbound.fetch(address, {
      // The server then adds lines with count 0, so that even the size of the response does not reveal the range.
      headers: { accept: "text/plain", "add-padding": "true" },
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_BYTES,
      requireHttps: false,
    });
    if (answer.status !== 200) throw new Error(`the server of breached passwords answered ${answer.status}`);
    return answer.body.toString("latin1");
  };
  return {
    range,
    probe: async () => void (await range("00000")),
    close: () => outbound.close(),
  };
}
