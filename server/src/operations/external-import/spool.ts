import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { type FileHandle, mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import { AppError } from "../../kernel/errors.ts";

/** Up to this size, nothing is written to disk. */
const HELD = 4 * 1024 * 1024;
const PIECE = 64 * 1024;

/**
 * Bytes that are written once and read as often as needed: an export may have millions of users, before the configuration that they need. Bytes that
 * do not fit into memory are kept in a file, encrypted with a key that is never stored.
 */
export class Spool {
  #held: Buffer[] = [];
  #size = 0;
  #file: { readonly handle: FileHandle; readonly folder: string } | null = null;
  readonly #key = randomBytes(32);
  readonly #nonce = randomBytes(16);
  readonly #cipher = createCipheriv("aes-256-ctr", this.#key, this.#nonce);

  static async of(bytes: AsyncIterable<Buffer>): Promise<Spool> {
    const spool = new Spool();
    try {
      for await (const piece of bytes) await spool.write(piece);
      return spool;
    } catch (error) {
      await spool.close();
      throw error;
    }
  }

  get size(): number {
    return this.#size;
  }

  async write(piece: Buffer): Promise<void> {
    this.#size += piece.length;
    this.#held.push(piece);
    if (this.#file === null && this.#size <= HELD) return;
    try {
      this.#file ??= await createFile();
      for (const part of this.#held.splice(0)) await this.#file.handle.writeFile(this.#cipher.update(part));
    } catch (cause) {
      throw noSpace(cause);
    }
  }

  /** Reads from the beginning. */
  read(): Readable {
    if (this.#file === null) return Readable.from(inTurns(this.#held), { objectMode: false });
    const { handle } = this.#file;
    const decipher = createDecipheriv("aes-256-ctr", this.#key, this.#nonce);
    // A stream of the handle would close the file for later reads, if it is not read to its end.
    async function* plain(): AsyncGenerator<Buffer> {
      for (let position = 0; ; ) {
        const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(PIECE), 0, PIECE, position);
        if (bytesRead === 0) return;
        position += bytesRead;
        yield decipher.update(buffer.subarray(0, bytesRead));
      }
    }
    return Readable.from(plain(), { objectMode: false });
  }

  async close(): Promise<void> {
    this.#held = [];
    const file = this.#file;
    this.#file = null;
    if (!file) return;
    await file.handle.close();
    await rm(file.folder, { recursive: true, force: true });
  }
}

/** Gives way to other requests between pieces, as a file does. A reader of memory alone would keep them waiting until it is done. */
async function* inTurns(pieces: readonly Buffer[]): AsyncGenerator<Buffer> {
  for (const piece of pieces) {
    await nextTurn();
    yield piece;
  }
}

async function createFile() {
  const folder = await mkdtemp(join(tmpdir(), "gatehouse-import-"));
  return { handle: await open(join(folder, "body"), "wx+", 0o600), folder };
}

function noSpace(cause: unknown): unknown {
  const { code } = cause as { code?: unknown };
  return code === "ENOSPC" || code === "EDQUOT"
    ? new AppError("external.no_space", 507, "The server has no room to keep this file while it is imported: import it in parts", { cause })
    : cause;
}
