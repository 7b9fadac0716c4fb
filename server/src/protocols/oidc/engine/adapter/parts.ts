import type { Db } from "../../../../platform/db/index.ts";

export interface AdapterParts {
  readonly db: Db;
  readonly realm: string;
}
