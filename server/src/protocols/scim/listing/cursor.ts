import { sha256 } from "../../../kernel/vault.ts";
import { scimError } from "../errors.ts";
import type { Entry } from "./source.store.ts";

/** RFC 9865 §2: where a page ended, and how many there were when the first was asked for. */
export interface Cursor extends Entry {
  readonly total: number;
}

/** A cursor belongs to one list: another filter, order or connection makes it invalid. */
const listMark = (list: string): string => sha256(list).slice(0, 12);

export const writeCursor = (list: string, { id, key, total }: Cursor): string =>
  Buffer.from(JSON.stringify([listMark(list), id, key, total])).toString("base64url");

export function readCursor(list: string, text: string): Cursor {
  try {
    const [mark, id, key, total] = JSON.parse(Buffer.from(text, "base64url").toString("utf8")) as [unknown, unknown, unknown, unknown];
    const isKey = typeof key === "string" || (typeof key === "number" && Number.isSafeInteger(key));
    if (mark === listMark(list) && typeof id === "string" && ID.test(id) && isKey && isCount(total) && isStorable(key))
      return { id, key: key as Entry["key"], total };
  } catch {
    // Answered like any other text that is no cursor.
  }
  throw scimError("invalidCursor", "The cursor is not one of this list: begin again without it");
}

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
const isStorable = (key: unknown): boolean => typeof key !== "string" || (!key.includes("\u0000") && key.isWellFormed());
