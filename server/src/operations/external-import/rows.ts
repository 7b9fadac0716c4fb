import { Readable } from "node:stream";
import { readRows } from "../../directory/import/index.ts";
import { malformed } from "../../kernel/errors.ts";
import { bytesOfList } from "./json-lists.ts";
import { recordOf, type Values } from "./reading.ts";
import type { Report } from "./report.ts";
import type { SourceFile } from "./source.ts";

type Format = "application/json" | "application/x-ndjson" | "text/csv";

/** Yields the objects of a list one by one. A row that cannot be read is reported by its number, and skipped. */
async function* objectsIn(bytes: Readable, format: Format, name: string, report: Report): AsyncGenerator<{ value: Values; at: string }> {
  const rows = readRows(bytes, format, ",");
  for (;;) {
    const { done, value } = await rows.next();
    if (done) {
      if (value) throw malformed(`${name}: ${value.message} (row ${value.row}): nothing was imported`);
      return;
    }
    for (const row of value) {
      const at = `${name}[${row.row}]`;
      if (row.fault) report.unmapped(`${name}[]`, row.fault.message, at);
      else yield { value: recordOf(row.value), at };
    }
  }
}

/** Yields the elements of the list `member` of one document of a file. */
export async function* elementsOf(file: SourceFile, member: string, report: Report, document = 0) {
  const bytes = bytesOfList(file.read(), member, document);
  const first = await bytes.next();
  if (first.done) return;
  async function* all() {
    yield first.value as Buffer;
    yield* bytes;
  }
  yield* objectsIn(Readable.from(all(), { objectMode: false }), "application/json", member, report);
}

/** Yields the objects of a file that is a JSON list, or has one object per line. */
export async function* objectsOf(file: SourceFile, report: Report, name = "users") {
  const format = /^\s*\[/.test(file.head) ? "application/json" : "application/x-ndjson";
  yield* objectsIn(file.read(), format, name, report);
}
