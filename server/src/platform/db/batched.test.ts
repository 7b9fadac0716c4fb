import { expect, test, vi } from "vitest";
import { batched } from "./batched.ts";
import type { Db } from "./tables.ts";

/** A question whose answers come when the test says so. */
function slowQuestion() {
  const asked: { keys: readonly string[]; answer: () => void; fail: (error: Error) => void }[] = [];
  const ask = batched<string, string>(
    (_db, keys) =>
      new Promise((resolve, reject) => {
        asked.push({ keys, answer: () => resolve(keys.map((key) => (key === "nobody" ? undefined : `answer to ${key}`))), fail: reject });
      }),
  );
  return { ask, asked };
}
const database = (isTransaction = false) => ({ isTransaction }) as Db;
const settled = () => new Promise((resolve) => setImmediate(resolve));

test("requests of one turn share a query, those that come while it runs the next, and each gets its own answer", async () => {
  const { ask, asked } = slowQuestion();
  const db = database();
  const first = ["a", "z"].map((key) => ask(db, key));
  await settled();
  const answers = [...first, ...["b", "c", "nobody", "d"].map((key) => ask(db, key))];
  await settled();
  expect(asked.map(({ keys }) => keys)).toEqual([["a", "z"]]);
  asked[0]!.answer();
  await settled();
  expect(asked.map(({ keys }) => keys)).toEqual([
    ["a", "z"],
    ["b", "c", "nobody", "d"],
  ]);
  for (const { answer } of asked) answer();
  expect(await Promise.all(answers)).toEqual(["answer to a", "answer to z", "answer to b", "answer to c", undefined, "answer to d"]);
  void ask(db, "later");
  await settled();
  expect(asked.at(-1)!.keys).toEqual(["later"]);
});

test("a result is never older than its request: none joins a query that is already running", async () => {
  const { ask, asked } = slowQuestion();
  const db = database();
  const first = ask(db, "a");
  await settled();
  const second = ask(db, "a");
  asked[0]!.answer();
  await first;
  await settled();
  expect(asked).toHaveLength(2);
  asked[1]!.answer();
  expect(await second).toBe("answer to a");
});

test("a failure reaches those it concerns, and the next ones are queried all the same", async () => {
  const { ask, asked } = slowQuestion();
  const db = database();
  const failing = (key: string) => ask(db, key).catch((error: Error) => error.message);
  const a = failing("a");
  await settled();
  const [b, c, d] = ["b", "c", "d"].map(failing);
  asked[0]!.fail(new Error("the connection broke"));
  expect(await a).toBe("the connection broke");
  await settled();
  asked[1]!.fail(new Error("again"));
  expect(await Promise.all([b, c, d])).toEqual(["again", "again", "again"]);
  const e = ask(db, "e");
  await settled();
  asked.at(-1)!.answer();
  expect(await e).toBe("answer to e");
});

test("a transaction and another database are queried separately", async () => {
  const { ask, asked } = slowQuestion();
  const db = database();
  for (const key of ["a", "b", "c"]) void ask(db, key);
  void ask(database(true), "within");
  void ask(database(), "elsewhere");
  await settled();
  expect(asked.map(({ keys }) => keys)).toEqual([["within"], ["a", "b", "c"], ["elsewhere"]]);
});

test("many keys are queried in batches of a hundred", async () => {
  const { ask, asked } = slowQuestion();
  const db = database();
  const answers = Array.from({ length: 252 }, (_, n) => ask(db, String(n)));
  for (let group = 0; group < 3; group++) {
    await settled();
    asked[group]!.answer();
  }
  expect(asked.map(({ keys }) => keys.length)).toEqual([100, 100, 52]);
  expect(await Promise.all(answers)).toEqual(Array.from({ length: 252 }, (_, n) => `answer to ${n}`));
});

test("no request waits long for a query that is stuck", async () => {
  const { ask, asked } = slowQuestion();
  const db = database();
  const stuck = ask(db, "stuck");
  await settled();
  const now = vi.spyOn(performance, "now").mockReturnValue(performance.now() + 60);
  const answer = ask(db, "next");
  now.mockRestore();
  await settled();
  expect(asked.map(({ keys }) => keys)).toEqual([["stuck"], ["next"]]);
  asked[1]!.answer();
  expect(await answer).toBe("answer to next");
  asked[0]!.answer();
  expect(await stuck).toBe("answer to stuck");
});
