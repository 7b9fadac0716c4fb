import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { packageFile } from "../../kernel/package.ts";
import { lockDirectory } from "./directory-lock.ts";
import { DatabaseUnavailable } from "./unavailable.ts";

interface Answer {
  id: number;
  rows?: unknown[];
  affectedRows?: number;
  bytes?: Uint8Array<ArrayBuffer>;
  error?: { message: string };
}

export interface EmbeddedOptions {
  /** A folder, or `memory://` for a test that keeps nothing. */
  readonly dir: string;
  /** A prepared data folder, as a tar or as the path of a file that holds one: opening it takes a fifth of the time of creating a folder. */
  readonly template?: Uint8Array<ArrayBuffer> | string | undefined;
}

/** The template that the build makes. Without it (a source checkout) the first start creates the folder, which takes longer. */
const SHIPPED = fileURLToPath(packageFile("dist/embedded-template.tar.gz"));

/** The folder of the embedded database, which exists completely or not at all. */
export const embeddedFolder = (dataDir: string): string => (dataDir.startsWith("memory:") ? dataDir : join(dataDir, "database"));

/**
 * Opens the embedded database below a data folder. This module loads no database library, so that the start command can begin to open it in another thread,
 * before the main thread has loaded everything else.
 */
export async function openEmbedded(dataDir: string, template?: Uint8Array<ArrayBuffer>): Promise<EmbeddedDatabase> {
  const embedded = new EmbeddedDatabase({ dir: embeddedFolder(dataDir), template: template ?? SHIPPED });
  await embedded.open();
  return embedded;
}

/** The part of the embedded database that the rest of the server needs. */
export type OpenedEmbedded = Pick<EmbeddedDatabase, "query" | "dump" | "close">;

/** Talks to the thread that holds the embedded database. */
export class EmbeddedDatabase {
  readonly #options: EmbeddedOptions;
  readonly #waiting = new Map<number, { resolve: (answer: Answer) => void; reject: (error: unknown) => void }>();
  #worker: Worker | undefined;
  #sent = 0;
  #unlock: (() => void) | undefined;

  constructor(options: EmbeddedOptions) {
    this.#options = options;
  }

  async open(): Promise<void> {
    const { dir } = this.#options;
    if (!dir.startsWith("memory:")) this.#unlock = await lockDirectory(dir, (error) => this.#abandon(error));
    // The worker is beside this file in the sources, and beside its bundle in the build.
    const worker = new Worker(new URL("./pglite-worker.js", import.meta.url), { workerData: this.#options });
    this.#worker = worker;
    await new Promise<void>((resolve, reject) => {
      this.#waiting.set(0, { resolve: () => resolve(), reject });
      worker.on("message", (answer: Answer) => this.#settle(answer));
      worker.on("error", (error) => this.#fail(error));
      worker.on("exit", () => this.#fail(new DatabaseUnavailable("The embedded database has stopped")));
    }).catch((error) => {
      this.#worker = undefined;
      this.#unlock?.();
      throw error;
    });
  }

  query(sql: string, params: readonly unknown[]): Promise<Answer> {
    return this.#send({ sql, params: [...params] });
  }

  async script(sql: string): Promise<void> {
    await this.#send({ op: "script", sql });
  }

  /** Returns the whole data folder as a tar, from which others can be opened. */
  async dump(): Promise<Uint8Array<ArrayBuffer>> {
    return (await this.#send({ op: "dump" })).bytes!;
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    if (!worker) return;
    this.#worker = undefined;
    try {
      await this.#send({ op: "close" }, worker);
    } finally {
      await worker.terminate();
      this.#unlock?.();
    }
  }

  /** Stops the server, because another process has taken the folder and nothing may be written any more. */
  #abandon(error: Error): never {
    void this.#worker?.terminate();
    this.#worker = undefined;
    this.#fail(error);
    throw error;
  }

  #send(message: object, worker = this.#worker): Promise<Answer> {
    if (!worker) return Promise.reject(new DatabaseUnavailable("The embedded database is closed"));
    const id = ++this.#sent;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      worker.postMessage({ id, ...message });
    });
  }

  #settle(answer: Answer): void {
    const waiting = this.#waiting.get(answer.id);
    this.#waiting.delete(answer.id);
    if (answer.error) waiting?.reject(Object.assign(new Error(answer.error.message), answer.error));
    else waiting?.resolve(answer);
  }

  #fail(error: unknown): void {
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}
