import type { Readable } from "node:stream";
import type { ImportUser } from "../../directory/import/index.ts";
import type { Permission } from "../../tenancy/permissions/index.ts";
import type { Naming } from "./naming.ts";
import type { Values } from "./reading.ts";
import type { Report } from "./report.ts";

/** One file of an upload. It can be read several times. */
export interface SourceFile {
  readonly name: string;
  /** Its beginning, as text. */
  readonly head: string;
  read(): Readable;
}

export interface SourceInput {
  readonly files: readonly SourceFile[];
  /** Values that the files lack, such as the parameters of a hash. */
  readonly parameters: Values;
  /** The realm to read, where the files have several. */
  readonly from: string | null;
  readonly now: number;
  /** The relying party of the realm's passkeys: those of another one do not work here. */
  readonly rpId: string;
  /** Tells whether the caller may; rows that need more are left out, and reported. */
  may(permission: Permission): boolean;
  /** Every name of a role or group goes through it. */
  readonly naming: Naming;
}

export interface SourceOutput {
  readonly report: Report;
  /** A user as a row of an import of users. */
  user(row: ImportUser): Promise<void>;
}

/** A system that realms and users come from: turns its files into sections of our document and rows of users, and reports what became of the rest. */
export interface ExternalSource {
  readonly name: string;
  /** For people. */
  readonly title: string;
  looksLike(file: SourceFile): boolean;
  /** The sections of the document. It is deterministic, so that an interrupted import can be resumed. */
  translate(input: SourceInput, output: SourceOutput): Promise<Record<string, unknown>>;
}
