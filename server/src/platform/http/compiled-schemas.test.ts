import { pino } from "pino";
import Type from "typebox";
import { describe, expect, test } from "vitest";
import { compiledSchemas } from "./compiled-schemas.ts";
import { createServer } from "./server.ts";

const compiled = compiledSchemas();

/** A server whose `Pet` has a name of at most `maxLength` letters. */
function server(maxLength: number) {
  const Pet = Type.Object({ name: Type.String({ maxLength }) }, { $id: "Pet", additionalProperties: false });
  const app = createServer({ logger: pino({ level: "silent" }), trustProxy: false, secure: false, compiled });
  const schema = { body: Type.Object({ pet: Pet }), response: { 200: maxLength > 5 ? Type.Object({ pet: Pet }) : Type.Object({}) } };
  app.post("/pets", { schema }, async (request) => request.body as never);
  return app;
}

const post = (app: ReturnType<typeof server>, name: string) =>
  app.inject({ method: "POST", url: "/pets", payload: { pet: { name } } }).then((answer) => [answer.statusCode, answer.body]);

describe("servers that share what is compiled", () => {
  test("each keep to their own schemas, also where a named one differs only by what is in it", async () => {
    const [short, long, again] = [server(3), server(9), server(3)];
    expect(await post(short, "Bella")).toEqual([400, expect.stringContaining("pet.name must have at most 3 characters")]);
    expect(await post(long, "Bella")).toEqual([200, '{"pet":{"name":"Bella"}}']);
    expect(await post(again, "Bella")).toEqual([400, expect.stringContaining("pet.name must have at most 3 characters")]);
    expect(await post(again, "Bo")).toEqual([200, "{}"]);
    await Promise.all([short, long, again].map((app) => app.close()));
  });
});

test("a function is made once for schemas of the same text that refer to the same named schemas", () => {
  let made = 0;
  const get = (kind: string, schema: object, named: Record<string, unknown>) => compiled.get(kind, schema, named, () => ++made);
  const named = { Pet: { $id: "Pet", type: "string" }, Other: { $id: "Other", type: "null" } };
  expect(get("validate", { $ref: "Pet#" }, named)).toBe(1);
  expect(get("validate", { $ref: "Pet#" }, { ...named, Other: { $id: "Other", type: "number" } })).toBe(1);
  expect(get("serialize", { $ref: "Pet#" }, named)).toBe(2);
  expect(get("validate", { $ref: "Pet#" }, { ...named, Pet: { $id: "Pet", type: "number" } })).toBe(3);
});
