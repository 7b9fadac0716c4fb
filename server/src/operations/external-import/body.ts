import type { IncomingHttpHeaders } from "node:http";
import type { Readable } from "node:stream";
import { AppError } from "../../kernel/errors.ts";
import { parseJson } from "../../platform/http/index.ts";
import { readMultipart } from "./multipart.ts";
import { recordOf, type Values } from "./reading.ts";
import type { SourceFile } from "./source.ts";
import { Spool } from "./spool.ts";

export interface Received {
  readonly files: readonly SourceFile[];
  readonly parameters: Values;
  close(): Promise<void>;
}

const MAX_FILES = 10_000;
const MAX_PARAMETERS = 1024 * 1024;
/** The name of the form part that is not a file. */
const PARAMETERS = "parameters";

/** Stores the body as files that can be read repeatedly: a single file, or the files of a form. */
export async function receive(body: Readable, headers: IncomingHttpHeaders): Promise<Received> {
  const { "content-type": type = "" } = headers;
  const spools: Spool[] = [];
  const files: SourceFile[] = [];
  let parameters: Values = {};
  const close = async () => {
    for (const spool of spools.splice(0)) await spool.close();
  };
  const keep = async (name: string, bytes: AsyncIterable<Buffer>) => {
    const spool = await Spool.of(bytes);
    spools.push(spool);
    if (spools.length > MAX_FILES) throw new AppError("request.too_large", 413, `Send at most ${MAX_FILES} files at a time`);
    if (spool.size > 0) files.push(await fileOf(name, spool));
  };
  try {
    if (!/^multipart\/form-data/i.test(type)) await keep("body", body as AsyncIterable<Buffer>);
    else
      for await (const { name, filename, content } of readMultipart(body, type)) {
        if (name === PARAMETERS) parameters = recordOf(parseJson(await whole(content)));
        else await keep(filename ?? name, content);
      }
  } catch (error) {
    await close();
    throw error;
  }
  return { files, parameters, close };
}

async function whole(content: AsyncIterable<Buffer>): Promise<Buffer> {
  const held: Buffer[] = [];
  let size = 0;
  for await (const piece of content) {
    size += piece.length;
    if (size > MAX_PARAMETERS) throw new AppError("request.too_large", 413, "The parameters are larger than 1 MB");
    held.push(piece);
  }
  return Buffer.concat(held);
}

const fileOf = async (name: string, spool: Spool): Promise<SourceFile> => ({
  name,
  head: await headOf(spool.read()),
  read: () => spool.read(),
});

const HEAD = 256 * 1024;

async function headOf(bytes: Readable): Promise<string> {
  const held: Buffer[] = [];
  let size = 0;
  for await (const piece of bytes as AsyncIterable<Buffer>) {
    held.push(piece);
    size += piece.length;
    if (size >= HEAD) break;
  }
  return Buffer.concat(held).subarray(0, HEAD).toString("utf8");
}
