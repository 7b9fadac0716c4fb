import type { Readable } from "node:stream";
import type { ImportUser } from "../../directory/import/index.ts";
import type { Permission } from "../../tenancy/permissions/index.ts";
import type { Naming } from "./naming.ts";
import type { Values } from "./reading.ts";
import type { Report } from "./report.ts";

/** One file of an upload. It can be read several times. */
export interface SourceFile {
  readonly name: string;
  /** The beginning of the file, as text. */
  readonly head: string;
  read(): Readable;
}

export interface SourceInput {
  readonly files: readonly SourceFile[];
  /** Values that the files lack, such as the parameters of a hash. */
  readonly parameters: Values;
  /** The realm to read, if the files have several. */
  readonly from: string | null;
  readonly now: number;
  /** The relying party of the realm's passkeys. Passkeys of another one do not work here. */
  readonly rpId: string;
  /** Tells whether the caller has the permission. Items that need another one are left out and reported. */
  may(permission: Permission): boolean;
  /** Decides the name of every role and group. */
  readonly naming: Naming;
}

export interface SourceOutput {
  readonly report: Report;
  /** Writes a user as a row of an import of users. */
  user(row: ImportUser): Promise<void>;
}

/** A system whose exports can be imported. It turns its files into sections of our document and rows of users, and reports the rest. */
export interface ExternalSource {
  readonly name: string;
  /** The name that people read. */
  readonly title: string;
  looksLike(file: SourceFile): boolean;
  /** Returns the sections of the document. It must be deterministic, so that an interrupted import can be resumed. */
  translate(input: SourceInput, output: SourceOutput): Promise<Record<string, unknown>>;
}
