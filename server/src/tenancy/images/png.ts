import { promisify } from "node:util";
import { crc32, deflate, inflate } from "node:zlib";
import { imageFault } from "./errors.ts";

/** The longest side in pixels. A picture that is shown 64 pixels high needs no more, and a small file cannot expand into a huge picture. */
const MAX_SIDE = 2048;

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
/** The only chunks that are kept besides the pixels: palette, transparency, and two that define the colours. */
const KEPT = new Set(["PLTE", "tRNS", "sRGB", "gAMA"]);
/** PNG (third edition) §11.2.1: the bit depths that each colour type allows, and its samples per pixel. */
const COLOR_TYPES: Readonly<Record<number, { readonly depths: readonly number[]; readonly samples: number }>> = {
  0: { depths: [1, 2, 4, 8, 16], samples: 1 },
  2: { depths: [8, 16], samples: 3 },
  3: { depths: [1, 2, 4, 8], samples: 1 },
  4: { depths: [8, 16], samples: 2 },
  6: { depths: [8, 16], samples: 4 },
};
/** §8.1: the origin and the steps of each pass of an interlaced picture. */
const PASSES = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const;

interface Header {
  readonly width: number;
  readonly height: number;
  readonly bitsPerPixel: number;
  readonly isPalette: boolean;
  readonly isInterlaced: boolean;
}

export const isPng = (bytes: Buffer): boolean => bytes.subarray(0, SIGNATURE.length).equals(SIGNATURE);

/**
 * Returns a PNG that contains nothing but its pixels. They are unpacked and packed again, so nothing else of the file remains: no text, no position, and no
 * other file behind it.
 */
export async function cleanPng(bytes: Buffer): Promise<{ readonly body: Buffer; readonly width: number; readonly height: number }> {
  const { header, headerData, kept, packed } = readChunks(bytes);
  const expected = rowsOf(header).reduce((sum, { count, length }) => sum + count * (length + 1), 0);
  const pixels = await unpack(packed, expected);
  checkFilters(pixels, header);
  const body = Buffer.concat([
    SIGNATURE,
    chunk("IHDR", headerData),
    ...kept,
    chunk("IDAT", await promisify(deflate)(pixels, { level: 9 })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
  return { body, width: header.width, height: header.height };
}

function readChunks(bytes: Buffer) {
  const kept: Buffer[] = [];
  const data: Buffer[] = [];
  const seen = new Set<string>();
  let header: Header | null = null;
  let headerData = Buffer.alloc(0);
  for (let at = SIGNATURE.length; ; ) {
    if (at + 12 > bytes.length) throw imageFault("the PNG ends too early");
    const length = bytes.readUInt32BE(at);
    const type = bytes.toString("latin1", at + 4, at + 8);
    if (!/^[A-Za-z]{4}$/.test(type) || at + 12 + length > bytes.length) throw imageFault("the PNG has a broken chunk");
    const content = bytes.subarray(at + 8, at + 8 + length);
    if (crc32(bytes.subarray(at + 4, at + 8 + length)) !== bytes.readUInt32BE(at + 8 + length))
      throw imageFault(`the checksum of the PNG's chunk ${type} is wrong`);
    at += 12 + length;
    if (!header) {
      if (type !== "IHDR") throw imageFault("the PNG does not begin with IHDR");
      header = readHeader(content);
      headerData = Buffer.from(content);
    } else if (type === "IEND") break;
    else if (type === "IDAT") data.push(content);
    else if (KEPT.has(type)) {
      if (seen.has(type) || data.length > 0) throw imageFault(`the PNG has the chunk ${type} where none may be`);
      checkKept(type, content, header);
      kept.push(chunk(type, content));
    } else if (/^[A-Z]/.test(type)) throw imageFault(`the PNG has the chunk ${type}, which is not known`);
    seen.add(type);
  }
  if (data.length === 0) throw imageFault("the PNG has no pixels");
  if (header.isPalette && !seen.has("PLTE")) throw imageFault("the PNG has no palette");
  return { header, headerData, kept, packed: Buffer.concat(data) };
}

function readHeader(data: Buffer): Header {
  if (data.length !== 13) throw imageFault("the PNG has a broken chunk");
  const [width, height] = [data.readUInt32BE(0), data.readUInt32BE(4)];
  const [depth, type, compression, filter, interlace] = [...data.subarray(8)];
  const color = COLOR_TYPES[type!];
  if (!color?.depths.includes(depth!) || compression !== 0 || filter !== 0 || interlace! > 1)
    throw imageFault("the PNG has colours of a kind that does not exist");
  if (width === 0 || height === 0 || width > MAX_SIDE || height > MAX_SIDE)
    throw imageFault(`the picture is ${width} by ${height} pixels; at most ${MAX_SIDE} by ${MAX_SIDE} are taken`);
  return { width, height, bitsPerPixel: depth! * color.samples, isPalette: type === 3, isInterlaced: interlace === 1 };
}

function checkKept(type: string, { length }: Buffer, { isPalette }: Header): void {
  const isRight = {
    PLTE: length > 0 && length % 3 === 0 && length <= 768,
    tRNS: isPalette ? length <= 256 : length === 2 || length === 6,
    sRGB: length === 1,
    gAMA: length === 4,
  }[type];
  if (!isRight) throw imageFault(`the PNG's chunk ${type} has a length that it cannot have`);
}

/** Returns the rows of the picture, or of each pass of an interlaced one. Lengths are in bytes, without the byte of the filter. */
function rowsOf({ width, height, bitsPerPixel, isInterlaced }: Header): { readonly count: number; readonly length: number }[] {
  const row = (pixels: number) => Math.ceil((pixels * bitsPerPixel) / 8);
  if (!isInterlaced) return [{ count: height, length: row(width) }];
  return PASSES.map(([x, y, dx, dy]) => ({ pixels: Math.ceil((width - x) / dx), count: Math.ceil((height - y) / dy) }))
    .filter(({ pixels, count }) => pixels > 0 && count > 0)
    .map(({ pixels, count }) => ({ count, length: row(pixels) }));
}

async function unpack(packed: Buffer, expected: number): Promise<Buffer> {
  const pixels = await promisify(inflate)(packed, { maxOutputLength: expected }).catch((cause: unknown) => {
    throw imageFault("the PNG's pixels cannot be read", cause);
  });
  if (pixels.length !== expected) throw imageFault("the PNG has fewer pixels than it says");
  return pixels;
}

function checkFilters(pixels: Buffer, header: Header): void {
  let at = 0;
  for (const { count, length } of rowsOf(header))
    for (let row = 0; row < count; row++, at += length + 1) if (pixels[at]! > 4) throw imageFault("the PNG's pixels cannot be read");
}

function chunk(type: string, content: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, "latin1"), content]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}
