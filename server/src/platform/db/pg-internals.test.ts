import { hash } from "node:crypto";
import { createRequire } from "node:module";
import pg from "pg";
import { expect, test } from "vitest";

// postgres.ts overrides or reads members of pg that are not part of its API. If one of them changes with a new version, read what changed,
// mend postgres.ts, run postgres.test.ts and `npm run bench -- tokens`, and write the new hash here.

const require = createRequire(import.meta.url);
const Connection = require("pg/lib/connection.js") as { prototype: Record<string, unknown> };
const Result = require("pg/lib/result.js") as { new (): object; prototype: Record<string, unknown> };
const members = (of: unknown) => (of as { prototype: Record<string, unknown> }).prototype;

test.each([
  ["Query.prepare", members(pg.Query).prepare, "37a5d2a4f601ba28"],
  ["Query.handleCommandComplete", members(pg.Query).handleCommandComplete, "bf6d69ad2644fcd5"],
  ["Query.handleRowDescription", members(pg.Query).handleRowDescription, "67ca41be03404f55"],
  ["Client._handleErrorEvent", members(pg.Client)._handleErrorEvent, "4f7c4eb30476e589"],
  ["Client._errorAllQueries", members(pg.Client)._errorAllQueries, "f3cc3a76fbe321a4"],
  ["Connection._send", Connection.prototype._send, "dbb77eec641538d5"],
  ["Connection.describe", Connection.prototype.describe, "fbdec9e3d6cd0d0b"],
  ["Result.addFields", Result.prototype.addFields, "b85c0e5db5c85c53"],
])("%s is as postgres.ts knows it", (_name, member, known) => {
  expect(hash("sha256", String(member)).slice(0, 16)).toBe(known);
});

test("a result and a client have the fields that postgres.ts reads", () => {
  expect(new Result()).toMatchObject({ fields: [], _parsers: undefined, _prebuiltEmptyResultObject: null });
  const client = new pg.Client() as unknown as Record<string, unknown>;
  expect(client).toMatchObject({ _queryable: true, _ending: false, connection: { parsedStatements: {}, stream: expect.anything() } });
});
