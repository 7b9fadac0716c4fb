import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { leastCpuTime } from "../../testing/cpu-time.ts";
import { createPasswordHasher, isKnownHash, storedForm } from "./index.ts";

const passwords = createPasswordHasher({ params: { memoryKiB: 64, passes: 1, parallelism: 1 } });

// Other projects published these hashes of their own formats; this code did not make them.
const SHA1 = "SwB5AbdlSJq+rUnZJvch0GWkKcE"; // RFC 6070 §2, 4096 rounds
const SHA256 = "VawEblbjCJ/sFpHCJUS2BflBhSFt3gRl5oudV8INrLxJypzM8Xm2RZkWZLOdd+8xfHG4RbHjC9UJESBB06GXgw"; // RFC 7914 §11, 1 round
const SHA512 = "0Zexsz2wFD4BixLz0dFHnmzevcyXxcD4f2kC4HL0V7UUPzBgJkGz1VzTNZiMs2uEN2Bg7NUy4Dm3QqI5Q0ry1Q"; // 4096 rounds
const SCRYPT = "/bq+HJ00cgB4VucZDQHp/nxq18vII3gw53N2Y0s3MWIurzDZLiKjiG/xCSedmDDaxyevuUqD7m2DYMvfoswGQA"; // RFC 7914 §12

const SSHA = "{SSHA}yrht1iYXEIkejLVu42JWkadd80RzYWx0c2FsdA==";

const known: readonly [name: string, encoded: string, password: string][] = [
  ["bcrypt $2a$", "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW", "U*U"],
  ["bcrypt $2y$", "$2y$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW", "U*U"],
  ["bcrypt $2b$", "$2b$12$EixZaYVK1fsbw1ZfbX3OXePaWxn96p36WQoeG6Lruj3vjPGga31lW", "secret"],
  // The last character of a salt holds four bits that mean nothing; some systems leave them set.
  ["bcrypt with a loose salt", "$2a$05$CCCCCCCCCCCCCCCCCCCCC/E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW", "U*U"],
  ["PBKDF2 of passlib", "$pbkdf2-sha256$29000$N2YMIWQsBWBMae09x1jrPQ$1t8iyB2A.WF/Z5JZv.lfCIhXXN33N23OSgQYThBYRfk", "toomanysecrets"],
  ["PBKDF2-SHA1 of passlib", `$pbkdf2$4096$c2FsdA$${SHA1}`, "password"],
  ["PBKDF2-SHA1 by its name", `$pbkdf2-sha1$4096$c2FsdA$${SHA1}`, "password"],
  ["PBKDF2-SHA256 of Keycloak, with padding", `$pbkdf2-sha256$i=1$c2FsdA==$${SHA256}==`, "passwd"],
  ["PBKDF2-SHA512 as a PHC string", `$pbkdf2-sha512$i=4096,l=64$c2FsdA$${SHA512}`, "password"],
  ["PBKDF2-SHA512 of LDAP", `{PBKDF2-SHA512}4096$c2FsdA$${SHA512}`, "password"],
  ["PBKDF2-SHA256 of Django", `pbkdf2_sha256$1$salt$${SHA256}==`, "passwd"],
  ["scrypt of passlib", `$scrypt$ln=10,r=8,p=16$TmFDbA$${SCRYPT}`, "password"],
  ["scrypt of Django", `scrypt$1024$NaCl$8$16$${SCRYPT}==`, "password"],
  ["Argon2i", "$argon2i$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$wWKIMhR9lyDFvRz9YTZweHKfbftvj+qf+YFY4NeBbtA", "password"],
  ["Argon2id", "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc", "password"],
  ["SSHA", SSHA, "password"],
  ["SSHA256", "{SSHA256}DIzeh0gCRMTRu9dAH3C3rr7fWkRT0Bp2ZdtRqvTX3XJzYWx0c2FsdA==", "password"],
  ["SSHA512", "{SSHA512}9ZxHVj4YomwqqFiYKcIjExMLx2ZblYfXRGc4KMqbgvHq2+HOgwiTIi+eO/Uam/8D0beDAkGpvx14+UFlfBskLnNhbHRzYWx0", "password"],
];

describe.each(known)("%s", (_name, encoded, password) => {
  test("opens for its password, not for another, and asks to be replaced", async () => {
    expect(isKnownHash(encoded)).toBe(true);
    expect(await passwords.verify(encoded, password)).toBe(true);
    expect(await passwords.verify(encoded, `${password}.`)).toBe(false);
    expect(await passwords.verify(encoded, "")).toBe(false);
    expect(passwords.needsRehash(encoded)).toBe(true);
  });
});

test.each([
  ["a plain text", "password"],
  ["nothing", ""],
  ["a hash of an unsalted digest", "{SHA}W6ph5Mm5Pz8GgiULbPgzG37mj9g="],
  ["a salted digest without its salt", "{SSHA}W6ph5Mm5Pz8GgiULbPgzG37mj9g="],
  ["MD5 by crypt", "$1$salt$qJH7.N4xYta3aEG/dfqo/0"],
  ["an unknown bcrypt", "$2z$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"],
  ["a bcrypt that was cut", "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyO"],
  ["a bcrypt of fewer rounds than there are", "$2a$03$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"],
  ["a bcrypt of hours", "$2a$31$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"],
  ["a PBKDF2 of hours", `$pbkdf2-sha256$999999999$c2FsdA$${SHA256}`],
  ["a PBKDF2 of no rounds", `$pbkdf2-sha256$0$c2FsdA$${SHA256}`],
  ["a PBKDF2 of one byte", "$pbkdf2-sha256$6400$0ZrzXitFSGltTQnBWOsdeg$Yw"],
  ["a PBKDF2 of an unknown digest", `$pbkdf2-sha999$6400$c2FsdA$${SHA256}`],
  ["a scrypt of gigabytes", `$scrypt$ln=30,r=8,p=1$TmFDbA$${SCRYPT}`],
  ["a scrypt of hours", `$scrypt$ln=10,r=8,p=9999$TmFDbA$${SCRYPT}`],
  ["a scrypt of no power of two", `scrypt$1000$NaCl$8$16$${SCRYPT}`],
  ["an Argon2 of four bytes", "$argon2id$v=19$m=64,t=1,p=1$c29tZXNhbHQ$AAAAAA"],
  ["a text of megabytes", `{SSHA}${"A".repeat(2_000_000)}`],
])("%s is not a hash, and nothing matches it", async (_name, encoded) => {
  expect(isKnownHash(encoded)).toBe(false);
  expect(await passwords.verify(encoded, "password")).toBe(false);
});

test("bcrypt takes 72 bytes and no more, as every system that makes such hashes does", async () => {
  // From the table of crypt_blowfish, which bcrypt's other implementations are checked with.
  const encoded = "$2a$05$abcdefghijklmnopqrstuu5s2v8.iXieOjg/.AySBTTZIIVFJeBui";
  const password = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
  expect(await passwords.verify(encoded, password)).toBe(true);
  expect(await passwords.verify(encoded, `${password}chars after 72 are ignored`)).toBe(true);
  expect(await passwords.verify(encoded, password.slice(0, -1))).toBe(false);
});

test("the server answers others while a bcrypt hash is computed", async () => {
  const [, encoded] = known[2]!;
  const turnsMeanwhile = async () => {
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    await passwords.verify(encoded, "wrong");
    clearInterval(timer);
    return turns;
  };
  // 4,096 rounds take a third of a second; on the main thread a timer would have a few turns meanwhile. A busy machine gets more tries.
  await expect.poll(turnsMeanwhile).toBeGreaterThan(20);
});

test("two bcrypt hashes are computed at once, and the answers are not mixed up", async () => {
  const both = createPasswordHasher({ concurrency: 2 });
  const [, quick, right] = known[0]!;
  const [, slow, secret] = known[2]!;
  const checks = [both.verify(slow, secret), both.verify(quick, "wrong"), both.verify(slow, "wrong"), both.verify(quick, right)];
  expect(await Promise.all(checks)).toEqual([true, false, false, true]);
});

test("hashes of other systems wait in the same queue, and a full one says so", async () => {
  const busy = createPasswordHasher({ concurrency: 1, maxQueue: 1, params: { memoryKiB: 64, passes: 1, parallelism: 1 } });
  const [, bcrypt] = known[2]!;
  const checks = [busy.verify(bcrypt, "secret"), busy.verify(SSHA, "password")];
  expect(busy.stats()).toEqual({ running: 1, waiting: 1 });
  await expect(busy.verify(bcrypt, "secret")).rejects.toMatchObject({ code: "auth.overloaded", status: 503 });
  expect(await Promise.all(checks)).toEqual([true, true]);
});

test("a salted digest takes the work of a real hash, or its speed would reveal imported users", async () => {
  const checking = (passes: number) => {
    const passwords = createPasswordHasher({ params: { memoryKiB: 8192, passes, parallelism: 1 } });
    return () => passwords.verify(SSHA, "wrong");
  };
  const [once, often] = await leastCpuTime(checking(1), checking(16));
  expect(often).toBeGreaterThan(2 * once!);
});

describe("a hash of Firebase", () => {
  // The README of github.com/firebase/scrypt.
  const [salt, separator] = ["42xEC+ixf3L2lw==", "Bw=="];
  const signer = "jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==";
  const hash = "lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==";
  const urlSafe = (text: string) => text.replaceAll("+", "-").replaceAll("/", "_");

  test("opens for its password without the project's signer key, whoever wrote it down, in either alphabet", async () => {
    const written = [
      `$fbscrypt$v=1,n=14,r=8,p=1,ss=${separator},sk=${signer}$${salt}$${hash}`,
      `$firescrypt$ln=14,r=8,p=1$${urlSafe(salt)}$${urlSafe(hash)}$${separator}$${urlSafe(signer)}`,
    ];
    const [stored, other] = written.map(storedForm) as [string, string];
    expect(other).toBe(stored);
    expect(stored).not.toContain(signer.slice(0, 20));
    expect(isKnownHash(stored)).toBe(true);
    expect(await passwords.verify(stored, "user1password")).toBe(true);
    expect(await passwords.verify(stored, "user2password")).toBe(false);
  });
});

test("a password that was hashed elsewhere as it was typed opens, whichever form of Unicode that was", async () => {
  const typed = "cafe\u0301-au-lait"; // e and an accent
  const salted = (text: string) => createHash("sha1").update(text).update("salt").digest();
  const encoded = `{SSHA}${Buffer.concat([salted(typed), Buffer.from("salt")]).toString("base64")}`;
  expect(await passwords.verify(encoded, typed)).toBe(true);
  expect(await passwords.verify(encoded, "caf\u00e9-au-lait"), "another text, to the system that hashed it").toBe(false);
});
