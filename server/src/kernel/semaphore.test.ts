import { expect, test } from "vitest";
import { createSemaphore, SemaphoreFull } from "./semaphore.ts";

/** Work that ends when the test says so. */
function held() {
  let finish = () => {};
  const done = new Promise<void>((resolve) => {
    finish = resolve;
  });
  return { done, finish };
}

test("runs no more than its permits at once, and the rest in the order they came", async () => {
  const semaphore = createSemaphore({ permits: 2, maxWaiting: 10 });
  const gates = [held(), held(), held(), held()];
  const started: number[] = [];
  const all = gates.map((gate, i) =>
    semaphore.run(async () => {
      started.push(i);
      await gate.done;
    }),
  );
  await Promise.resolve();
  expect(started).toEqual([0, 1]);
  expect(semaphore.stats()).toEqual({ running: 2, waiting: 2 });

  gates[1]!.finish();
  await new Promise(setImmediate);
  expect(started).toEqual([0, 1, 2]);

  for (const gate of gates) gate.finish();
  await Promise.all(all);
  expect(started).toEqual([0, 1, 2, 3]);
  expect(semaphore.stats()).toEqual({ running: 0, waiting: 0 });
});

test("refuses at once when the queue is full, without running the work", async () => {
  const semaphore = createSemaphore({ permits: 1, maxWaiting: 1 });
  const gate = held();
  const first = semaphore.run(() => gate.done);
  const second = semaphore.run(() => gate.done);
  let ran = false;
  await expect(
    semaphore.run(async () => {
      ran = true;
    }),
  ).rejects.toBeInstanceOf(SemaphoreFull);
  expect(ran).toBe(false);
  gate.finish();
  await Promise.all([first, second]);
});

test("gives the permit back when the work fails", async () => {
  const semaphore = createSemaphore({ permits: 1, maxWaiting: 0 });
  await expect(semaphore.run(() => Promise.reject(new Error("broken")))).rejects.toThrow("broken");
  await expect(semaphore.run(async () => "next")).resolves.toBe("next");
});

test("a newcomer cannot overtake one who waits", async () => {
  const semaphore = createSemaphore({ permits: 1, maxWaiting: 5 });
  const order: string[] = [];
  const gate = held();
  const first = semaphore.run(() => gate.done);
  const waiting = semaphore.run(async () => void order.push("waiting"));
  // Asks at the very moment the first permit is released.
  const newcomer = first.then(() => semaphore.run(async () => void order.push("newcomer")));
  gate.finish();
  await Promise.all([waiting, newcomer]);
  expect(order).toEqual(["waiting", "newcomer"]);
});
