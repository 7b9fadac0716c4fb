import { opendir, readFile } from "node:fs/promises";
import { createOutbound } from "../outbound/index.ts";

/** A corpus in the range format of Have I Been Pwned: a request names the first five digits of a SHA-1, and gets all that begin so. */
export interface BreachRanges {
  /** The lines `SUFFIX:COUNT` of the range. Throws when the corpus is unavailable. */
  range(prefix: string): Promise<string>;
  /** Throws when the corpus is unavailable. */
  probe(): Promise<void>;
  close(): Promise<void>;
}

/** From the question to the last byte: a user waits for their new password meanwhile. */
const TIMEOUT_MS = 1_500;
/** Ranges have about 100 kB. */
const MAX_BYTES = 1024 * 1024;

const codeOf = (error: unknown): string => String((error as NodeJS.ErrnoException | null)?.code ?? "unknown");

/** A folder of files that are named by their prefix, `0A1B2` or `0A1B2.txt`, as the downloader of Have I Been Pwned makes them. */
export function folderRanges(folder: string): BreachRanges {
  // The path of a range would reveal to the log how a password's hash begins; the code of the error is enough.
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
      // A corpus of one's own need not have every range; a folder that is gone has none.
      await probe();
      return "";
    },
    probe,
    close: async () => {},
  };
}

/** A server that answers `GET <url>/<prefix>`. An address named in the settings needs no separate permission. */
export function urlRanges(written: string): BreachRanges {
  const url = new URL(written);
  const outbound = createOutbound({ allowedHosts: [url.host], allowLoopbackHttp: false });
  const range = async (prefix: string) => {
    const address = new URL(url);
    address.pathname = `${url.pathname.replace(/[/]+$/, "")}/${prefix}`;
    const answer = await outbound.fetch(address, {
      // Lines of count 0 are mixed in, so that not even the size of the answer reveals the range.
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
