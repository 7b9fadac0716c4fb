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

test("a single request queries immediately; concurrent ones share the next query and get each their own answer", async () => {
  const { ask, asked } = slowQuestion();
  const db = database();
  const answers = ["a", "b", "c", "nobody", "d"].map((key) => ask(db, key));
  expect(asked.map(({ keys }) => keys)).toEqual([["a"]]);
  asked[0]!.answer();
  await settled();
  expect(asked.map(({ keys }) => keys)).toEqual([["a"], ["b", "c", "nobody", "d"]]);
  for (const { answer } of asked) answer();
  expect(await Promise.all(answers)).toEqual(["answer to a", "answer to b", "answer to c", undefined, "answer to d"]);
  void ask(db, "later");
  await settled();
  expect(asked.at(-1)!.keys).toEqual(["later"]);
});

test("an answer is never older than its question: no one joins a query that is under way", async () => {
  const { ask, asked } = slowQuestion();
  const db = database();
  const first = ask(db, "a");
  const second = ask(db, "a");
  asked[0]!.answer();
  await first;
  await settled();
  expect(asked).toHaveLength(2);
  asked[1]!.answer();
  expect(await second).toBe("answer to a");
});

test("a failure reaches those it concerns, and the next ones are asked for all the same", async () => {
  const { ask, asked } = slowQuestion();
  const db = database();
  const [a, b, c, d] = ["a", "b", "c", "d"].map((key) => ask(db, key).catch((error: Error) => error.message));
  asked[0]!.fail(new Error("the connection broke"));
  expect(await a).toBe("the connection broke");
  await settled();
  asked[1]!.fail(new Error("again"));
  expect(await Promise.all([b, c, d])).toEqual(["again", "again", "again"]);
  const e = ask(db, "e");
  asked.at(-1)!.answer();
  expect(await e).toBe("answer to e");
});

test("a transaction and another database are asked for themselves", async () => {
  const { ask, asked } = slowQuestion();
  const db = database();
  for (const key of ["a", "b", "c"]) void ask(db, key);
  void ask(database(true), "within");
  void ask(database(), "elsewhere");
  expect(asked.map(({ keys }) => keys)).toEqual([["a"], ["within"], ["elsewhere"]]);
});

test("a crowd is asked for in groups of a hundred", async () => {
  const { ask, asked } = slowQuestion();
  const db = database();
  const answers = Array.from({ length: 252 }, (_, n) => ask(db, String(n)));
  for (let group = 0; group < 4; group++) {
    asked[group]!.answer();
    await settled();
  }
  expect(asked.map(({ keys }) => keys.length)).toEqual([1, 100, 100, 51]);
  expect(await Promise.all(answers)).toEqual(Array.from({ length: 252 }, (_, n) => `answer to ${n}`));
});

test("nobody waits long for a query that is stuck", async () => {
  const { ask, asked } = slowQuestion();
  const db = database();
  const stuck = ask(db, "stuck");
  const now = vi.spyOn(performance, "now").mockReturnValue(performance.now() + 60);
  const answer = ask(db, "next");
  now.mockRestore();
  expect(asked.map(({ keys }) => keys)).toEqual([["stuck"], ["next"]]);
  asked[1]!.answer();
  expect(await answer).toBe("answer to next");
  asked[0]!.answer();
  expect(await stuck).toBe("answer to stuck");
});
