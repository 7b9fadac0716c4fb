import { hash as argon2 } from "@node-rs/argon2";
import { describe, expect, test, vi } from "vitest";
import { leastCpuTime } from "../../testing/cpu-time.ts";
import { createPasswordHasher } from "./index.ts";

// Small on purpose: these tests are about the rules, and only the first one about the default price.
const cheap = { memoryKiB: 64, passes: 1, parallelism: 1 };

test("hashes at 19 MiB, two passes, one lane unless configured otherwise, with a new salt each time", async () => {
  const passwords = createPasswordHasher();
  const [one, two] = await Promise.all([passwords.hash("correct horse"), passwords.hash("correct horse")]);
  expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[^$]{22}\$[^$]{43}$/);
  expect(two).not.toBe(one);
  expect(await passwords.verify(one, "correct horse")).toBe(true);
  expect(await passwords.verify(one, "correct horsE")).toBe(false);
});

test("one password in two Unicode forms is one password, but look-alikes stay apart", async () => {
  const passwords = createPasswordHasher({ params: cheap });
  const composed = await passwords.hash("caf\u00e9 1");
  expect(await passwords.verify(composed, "cafe\u0301 1")).toBe(true);
  expect(await passwords.verify(await passwords.hash("cafe\u0301 1"), "caf\u00e9 1")).toBe(true);
  expect(await passwords.verify(composed, "caf\u00e9 \u2460")).toBe(false);
});

describe("input that cannot be a password", () => {
  const tooLong = "x".repeat(1_000_000);

  test.each([
    ["1 MB", tooLong],
    ["1025 bytes", "x".repeat(1025)],
    ["1026 bytes in 513 letters", "\u00e9".repeat(513)],
    ["half a surrogate pair", "abcdefgh\ud800"],
  ])("%s is refused before any hashing", async (_name, password) => {
    // No permit is ever free, so a call that reached the queue would be refused as overload instead.
    const passwords = createPasswordHasher({ params: cheap, concurrency: 1, maxQueue: 0 });
    const busy = passwords.hash("holds the only permit");
    await expect(passwords.hash(password)).rejects.toMatchObject({ code: "password.policy", status: 400 });
    expect(await passwords.verify(`$argon2id$v=19$m=64,t=1,p=1$${"A".repeat(22)}$${"A".repeat(43)}`, password)).toBe(false);
    expect(await passwords.verifyNothing(password)).toBe(false);
    await busy;
  });

  test("1024 bytes are still accepted, in either Unicode form", async () => {
    const passwords = createPasswordHasher({ params: cheap });
    const phc = await passwords.hash("\u00e9".repeat(512));
    expect(await passwords.verify(phc, "e\u0301".repeat(512))).toBe(true);
  });

  test("1 MB is not even normalised", async () => {
    const normalize = vi.spyOn(String.prototype, "normalize");
    expect(await createPasswordHasher({ params: cheap }).verifyNothing(tooLong)).toBe(false);
    expect(normalize).not.toHaveBeenCalled();
    normalize.mockRestore();
  });

  test("no message repeats the password", async () => {
    const secret = "s3cret".repeat(500);
    const error = await createPasswordHasher({ params: cheap }).hash(secret).catch(String);
    expect(error).not.toContain("s3cret");
  });
});

test.each([
  "",
  "plain",
  "$argon2id$",
  "$argon2id$v=19$m=64,t=1,p=1$$",
  "$2b$10$abcdefghijklmnopqrstuv",
  "$argon2id$v=19$m=64,t=1,p=1$YWJj$\u0000",
  "\ud800",
])("a malformed hash (%j) matches nothing and does not throw", async (phc) => {
  const passwords = createPasswordHasher({ params: cheap });
  expect(await passwords.verify(phc, "anything")).toBe(false);
  expect(passwords.needsRehash(phc)).toBe(true);
});

test("a hash that asks for gigabytes is not computed", async () => {
  const passwords = createPasswordHasher({ params: cheap });
  const greedy = `$argon2id$v=19$m=4194304,t=1,p=1$${"A".repeat(22)}$${"A".repeat(43)}`;
  expect(await passwords.verify(greedy, "anything")).toBe(false);
  // The highest this process ever stood, in KiB: the memory itself is gone again by now.
  expect(process.resourceUsage().maxRSS).toBeLessThan(2 * 1024 ** 2);
});

test("an unknown user and a malformed hash pass through the same queue as a wrong password", async () => {
  const passwords = createPasswordHasher({ params: cheap, concurrency: 1 });
  const phc = await passwords.hash("right");
  const checks = [passwords.verifyNothing("a"), passwords.verify("broken", "a"), passwords.verify(phc, "a")];
  expect(passwords.stats()).toEqual({ running: 1, waiting: 2 });
  expect(await Promise.all(checks)).toEqual([false, false, false]);
  expect(passwords.stats()).toEqual({ running: 0, waiting: 0 });
});

test("checking nothing takes the work of the configured price", async () => {
  const checking = (passes: number) => {
    const passwords = createPasswordHasher({ params: { memoryKiB: 8192, passes, parallelism: 1 } });
    return () => passwords.verifyNothing("anything");
  };
  const [once, often] = await leastCpuTime(checking(1), checking(16));
  expect(often).toBeGreaterThan(2 * once!);
});

test("a full queue answers 503 with Retry-After at once, and serves again once it has drained", async () => {
  const passwords = createPasswordHasher({ params: cheap, concurrency: 1, maxQueue: 1 });
  const running = passwords.hash("one");
  const waiting = passwords.hash("two");
  await expect(passwords.verifyNothing("three")).rejects.toMatchObject({
    code: "auth.overloaded",
    status: 503,
    headers: { "retry-after": "2" },
  });
  await Promise.all([running, waiting]);
  await expect(passwords.hash("four")).resolves.toMatch(/^\$argon2id\$/);
});

test("the queue is bounded by how long it takes, not by how many wait in it", async () => {
  /** The number of a hundred that are served on a machine where a hash takes this long. */
  const served = async (eachMs: number) => {
    let now = 0;
    const time = vi.spyOn(performance, "now").mockImplementation(() => (now += eachMs));
    try {
      const passwords = createPasswordHasher({ params: cheap, concurrency: 1, maxWaitMs: 400 });
      // The first hashes show the cost of one.
      for (let n = 0; n < 100; n++) await passwords.verifyNothing("one");
      const answers = await Promise.allSettled(Array.from({ length: 100 }, () => passwords.verifyNothing("many")));
      return answers.filter(({ status }) => status === "fulfilled").length;
    } finally {
      time.mockRestore();
    }
  };
  expect(await served(1)).toBe(100);
  // One runs, and no more wait than are done in time.
  expect(await served(110)).toBe(1 + 3);
  expect(await served(1_000)).toBe(1);
});

test("asks for a new hash when the price or the algorithm changed, and only then", async () => {
  const passwords = createPasswordHasher({ params: cheap });
  expect(passwords.needsRehash(await passwords.hash("x"))).toBe(false);
  for (const params of [
    { ...cheap, memoryKiB: 128 },
    { ...cheap, passes: 2 },
    { ...cheap, parallelism: 2 },
  ]) {
    expect(passwords.needsRehash(await createPasswordHasher({ params }).hash("x"))).toBe(true);
  }
  const argon2i = await argon2("x", { algorithm: 1, memoryCost: 64, timeCost: 1, parallelism: 1 });
  expect(passwords.needsRehash(argon2i)).toBe(true);
  // Still opens the door: an imported hash is replaced at the next sign-in, not refused.
  expect(await passwords.verify(argon2i, "x")).toBe(true);
});
