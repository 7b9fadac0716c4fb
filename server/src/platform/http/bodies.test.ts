import { pino } from "pino";
import Type from "typebox";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { leastCpuTime } from "../../testing/cpu-time.ts";
import { type App, createServer } from "./index.ts";

const Body = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 10 }),
    count: Type.Optional(Type.Integer()),
    flag: Type.Optional(Type.Boolean()),
    nested: Type.Optional(
      Type.Object({ list: Type.Array(Type.Object({ mail: Type.String({ format: "email" }) }, { additionalProperties: false })) }),
    ),
    texts: Type.Optional(Type.Record(Type.String(), Type.Union([Type.String(), Type.Array(Type.String())]))),
    free: Type.Optional(Type.Unknown()),
  },
  { additionalProperties: false },
);

let app: App;
beforeAll(async () => {
  app = createServer({ logger: pino({ level: "silent" }), trustProxy: false, secure: false });
  await app.register(async (scope) => {
    scope.post("/things", { schema: { body: Body, response: { 200: Type.Unknown() } } }, async (request) => request.body);
    const query = Type.Object({ count: Type.Optional(Type.Integer({ minimum: 0 })), flag: Type.Optional(Type.Boolean()) });
    scope.get("/things", { schema: { querystring: query, response: { 200: Type.Unknown() } } }, async (request) => request.query);
    scope.get("/things/:id", { schema: { response: { 200: Type.Unknown() } } }, async (request) => request.params);
  });
  await app.ready();
});
afterAll(() => app?.close());

const post = async (payload: string | Buffer, type = "application/json") => {
  const answer = await app.inject({ method: "POST", url: "/things", payload, headers: { "content-type": type } });
  return { status: answer.statusCode, type: answer.headers["content-type"], body: answer.json() };
};
const fields = (body: { errors: { field: string }[] }) => body.errors.map(({ field }) => field);

describe("a body", () => {
  test("is taken as it was sent", async () => {
    expect(await post('{"name":"é\\u0301😀","free":{"a":[1,null]}}')).toMatchObject({ status: 200, body: { name: "é\u0301😀" } });
  });

  test.each([
    ["not JSON", "{"],
    ["half a body", '{"name":'],
    ["two values", '{"name":"a"}{}'],
    ["a comment", '{"name":"a"/**/}'],
    ["__proto__", '{"name":"a","__proto__":{"admin":true}}'],
    ["__proto__ in disguise", '{"name":"a","\\u005f_proto__":{"admin":true}}'],
    ["__proto__ deep inside", '{"name":"a","free":{"x":{"__proto__":{}}}}'],
    ["constructor.prototype", '{"name":"a","free":{"constructor":{"prototype":{}}}}'],
    ["invalid UTF-8", Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
    ["a surrogate in UTF-8", Buffer.concat([Buffer.from('{"name":"'), Buffer.from([0xed, 0xa0, 0x80]), Buffer.from('"}')])],
    ["a raw NUL", '{"name":"a\u0000"}'],
  ])("with %s is malformed", async (_, payload) => {
    expect(await post(payload)).toMatchObject({
      status: 400,
      type: "application/problem+json; charset=utf-8",
      body: { code: "request.malformed" },
    });
    expect(({} as { admin?: boolean }).admin).toBeUndefined();
  });

  test.each([
    ['{"name":"a\\u0000"}', "name"],
    ['{"name":"\\ud800"}', "name"],
    ['{"name":"a","free":{"x":["ok","\\udfff"]}}', "free.x.1"],
    ['{"name":"a","free":{"\\u0000":1}}', "free."],
  ])("with text that cannot be stored (%s) names the field", async (payload, field) => {
    const { status, body } = await post(payload);
    expect([status, fields(body)]).toEqual([400, [field]]);
  });

  test("hides nothing by nesting it deeply", async () => {
    const deep = (levels: number, text: string) => `{"name":"a","free":${'{"x":'.repeat(levels)}"${text}"${"}".repeat(levels)}}`;
    expect((await post(deep(20, "\\u0000"))).status).toBe(400);
    expect((await post(deep(40, "\\u0000"))).status).toBe(400);
    expect((await post(deep(20, "\\u00e9"))).status).toBe(200);
  });

  test("may be nested a hundred levels deep, not deeper, and the error names the member", async () => {
    const nested = (levels: number) => `{"name":"a","free":${"[".repeat(levels)}${"]".repeat(levels)}}`;
    expect((await post(nested(99))).status).toBe(200);
    for (const levels of [100, 10_000, 400_000])
      expect(await post(nested(levels))).toMatchObject({ status: 400, body: { errors: [{ field: "free", code: "too_deep" }] } });
    expect((await post(`${"[".repeat(101)}${"]".repeat(101)}`)).body).toMatchObject({ errors: [{ field: "body", code: "too_deep" }] });
    expect((await post(`{"name":"a","other":${'{"x":'.repeat(10_000)}"\\u0000"${"}".repeat(10_000)}}`)).status).toBe(400);
    expect((await post('{"name":"still here"}')).status).toBe(200);
  });

  test.each([
    ['{"name":"first","name":"last"}', "name"],
    ['{"name":"a","free":{"name":"b","list":["c",{"d" : 1,"\\u0064"\n:2}]}}', "free.list.1.d"],
  ])("that gives a member twice (%s) names it", async (payload, field) => {
    expect(await post(payload)).toMatchObject({ status: 400, body: { errors: [{ field, code: "repeated" }] } });
  });

  test("may have one name in several objects, and repeat a value", async () => {
    expect((await post('{"name":"name","free":[{"a":"a","b":"\\"a\\":"},{"a":{"a":["a","a"]}},"a"]}')).status).toBe(200);
  });

  test("may have a megabyte and not a byte more", async () => {
    const of = (bytes: number) => `{"name":"a","free":"${"x".repeat(bytes - 22)}"}`;
    expect(of(1024 * 1024)).toHaveLength(1024 * 1024);
    expect((await post(of(1024 * 1024))).status).toBe(200);
    expect(await post(of(1024 * 1024 + 1))).toMatchObject({ status: 413, body: { code: "request.too_large" } });
  });

  test("is never coerced", async () => {
    const { status, body } = await post('{"name":1,"count":"1","flag":"true"}');
    expect(status).toBe(400);
    expect(fields(body).sort()).toEqual(["count", "flag", "name"]);
    expect((await post('{"name":null}')).status).toBe(400);
  });

  test.each(["", "null", "[]", '"text"', "1"])("that is no object (%j) is a 400", async (payload) => {
    expect(await post(payload)).toMatchObject({ status: 400, body: { code: "request.invalid" } });
  });

  test("another type is a 415", async () => {
    expect(await post("<a/>", "application/xml")).toMatchObject({ status: 415, body: { code: "request.media_type" } });
  });
});

describe("a query", () => {
  const ask = async (query: string) => {
    const answer = await app.inject({ url: `/things?${query}` });
    return { status: answer.statusCode, body: answer.json() };
  };

  test.each([
    ["count=5", { count: 5 }],
    ["count=005&flag=true", { count: 5, flag: true }],
    ["flag=false", { flag: false }],
    ["", {}],
  ])("has numbers of decimal digits and flags: %s", async (query, body) => {
    expect(await ask(query)).toEqual({ status: 200, body });
  });

  test.each(["0x10", "1e2", "%205", "5%20", "5.0", "%2B5", "5_0", "0b1", "", "true", "-1", "9".repeat(16), "1&count=2", "%D9%A5"])(
    "has no number “%s”",
    async (count) => {
      const { status, body } = await ask(`count=${count}`);
      expect([status, fields(body)]).toEqual([400, ["count"]]);
    },
  );

  test.each(["1", "TRUE", "", "yes", "true&flag=true"])("has no flag “%s”", async (flag) => {
    const { status, body } = await ask(`flag=${flag}`);
    expect([status, fields(body)]).toEqual([400, ["flag"]]);
  });
});

describe("its errors", () => {
  test("is reported field by field, also inside lists and objects", async () => {
    const { body } = await post('{"name":"","nested":{"list":[{"mail":"a@b.example"},{"mail":"x","more":1},{}]},"other":1}');
    expect(body).toMatchObject({
      status: 400,
      code: "request.invalid",
      type: "urn:gatehouse:problem:request.invalid",
      title: "Bad Request",
    });
    expect(fields(body).sort()).toEqual(["name", "nested.list.1.mail", "nested.list.1.more", "nested.list.2.mail", "other"]);
    expect(body.errors.find(({ field }: { field: string }) => field === "name")).toEqual({
      field: "name",
      code: "too_short",
      message: "name must not be empty",
    });
    expect(body.errors.find(({ field }: { field: string }) => field === "other").message).toBe("other is not a known member");
  });

  test("a megabyte of mistakes is answered with two hundred, at once", async () => {
    const mistakes = Array.from({ length: 90_000 }, (_, n) => `"k${n}":1`).join(",");
    const { body } = await post(`{"name":"a","texts":{${mistakes}}}`);
    expect(body.errors).toHaveLength(200);
    const { body: unknown } = await post(`{"name":"a",${mistakes}}`);
    expect(unknown.errors).toHaveLength(200);
  });

  test("an escape in a megabyte costs little more than the megabyte", async () => {
    const of = (name: string) => `{"name":"${name}","free":{"${"k".repeat(9_000)}":[${"1,".repeat(400_000)}1]}}`;
    const [plain, escaped] = await leastCpuTime(
      () => post(of("a")),
      () => post(of("\\u0061")),
    );
    expect(escaped).toBeLessThan(3 * plain!);
  });

  test("never repeats what was sent", async () => {
    const { body } = await post('{"name":"a-secret-that-is-too-long"}');
    expect(JSON.stringify(body)).not.toContain("a-secret");
  });
});

describe("an address", () => {
  test.each([
    ["/things/%00", 404],
    ["/things/%ff", 400],
    ["/nothing", 404],
    [`/things/${"x".repeat(2048)}`, 200],
    [`/things/${"x".repeat(2049)}`, 414],
  ])("%s is answered in our own words (%i)", async (url, status) => {
    const answer = await app.inject({ url });
    expect(answer.statusCode).toBe(status);
    if (status !== 200) expect(answer.json()).toMatchObject({ status, code: expect.stringContaining("."), requestId: expect.any(String) });
  });
});
