import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { BerError, BerReader, boolean, element, integer, octets, sequence, TAG } from "./ber.ts";
import { Framer } from "./framer.ts";
import { message, readMessage } from "./messages.ts";

/** The same bytes in every run. */
function randomOf(seed: string) {
  let block = Buffer.from(seed);
  let at = 0;
  const byte = (): number => {
    if (at >= block.length) {
      block = createHash("sha256").update(block).digest();
      at = 0;
    }
    return block[at++]!;
  };
  const below = (limit: number): number => ((byte() << 16) | (byte() << 8) | byte()) % limit;
  const bytes = (length: number): Buffer => Buffer.from(Array.from({ length }, byte));
  return { below, bytes };
}

const attribute = (name: string, ...values: string[]) => sequence(octets(name), element(TAG.set, ...values.map(octets)));
const result = (tag: number, ...more: Buffer[]) => element(tag, integer(0, TAG.enumerated), octets(""), octets("fine"), ...more);
const control = (oid: string, ...more: Buffer[]) => sequence(octets(oid), ...more);

/** A message of every kind that is read. */
const messages = [
  message(1, element(0x64, octets("cn=ada,dc=example"), sequence(attribute("cn", "ada"), attribute("member", "a", "b", "c")))),
  message(2, element(0x64, octets(""), sequence())),
  message(3, result(0x61)),
  message(4, result(0x67)),
  message(5, result(0x78, element(0x8a, "1.3.6.1.4.1.1466.20037"), element(0x8b, "value"))),
  message(6, element(0x73, octets("ldap://elsewhere.example"))),
  sequence(integer(7), result(0x65), element(0xa0, control("1.2.840.113556.1.4.319", boolean(true), octets("cookie")), control("1.2.3"))),
];

/** Reads it, or refuses it by the one error that callers expect. */
function readOrRefuse(bytes: Buffer): "read" | "refused" {
  try {
    readMessage(bytes);
    return "read";
  } catch (error) {
    if (error instanceof BerError) return "refused";
    throw error;
  }
}

describe("the BER reader", () => {
  test("reads numbers and lengths as they were written, at every limit", () => {
    const numbers = [0, 1, -1, 127, 128, -128, -129, 255, 256, 32_767, 32_768, -32_768, 2 ** 31 - 1, -(2 ** 31)];
    for (const number of numbers) expect(new BerReader(integer(number)).integer()).toBe(number);
    for (const length of [0, 1, 127, 128, 255, 256, 65_535, 65_536]) {
      const content = Buffer.alloc(length, 7);
      const reader = new BerReader(octets(content));
      expect(reader.bytes().equals(content)).toBe(true);
      expect(reader.hasMore).toBe(false);
    }
  });

  // X.690 §8.1.3, RFC 4511 §5.1.
  test.each([
    ["nothing", ""],
    ["a tag alone", "30"],
    ["an indefinite length", "30800201010000"],
    ["a reserved length", "30ff"],
    ["a length of five bytes", "30850000000001"],
    ["a length that would be negative by shifting", "3084ffffffff020101"],
    ["a length beyond the message", "30030201"],
    ["an element beyond its container", "30050203010101"],
    ["a message without an operation", "3003020101"],
    ["an empty number", "30020200"],
    ["a number of seven bytes", "3009020701010101010101"],
    ["an unknown operation", "30050201014100"],
    ["another tag than a sequence", "0403020101"],
  ])("refuses %s", (_what, hex) => {
    expect(readOrRefuse(Buffer.from(hex, "hex"))).toBe("refused");
  });

  test("refuses every beginning of a message, and reads the whole", () => {
    for (const whole of messages) {
      expect(readOrRefuse(whole)).toBe("read");
      for (let length = 0; length < whole.length; length++) expect(readOrRefuse(whole.subarray(0, length))).toBe("refused");
    }
  });

  test("answers 20,000 changed messages and 20,000 of random bytes with a message or a BerError, and ends", () => {
    const random = randomOf("ber");
    const outcomes = { read: 0, refused: 0 };
    for (let round = 0; round < 20_000; round++) {
      const changed = Buffer.from(messages[random.below(messages.length)]!);
      for (let times = 1 + random.below(4); times > 0; times--) changed[random.below(changed.length)] = random.below(256);
      outcomes[readOrRefuse(changed)]++;
      outcomes[readOrRefuse(Buffer.concat([Buffer.from([0x30]), random.bytes(random.below(60))]))]++;
    }
    expect(outcomes.read).toBeGreaterThan(1_000);
    expect(outcomes.refused).toBeGreaterThan(20_000);
  });
});

describe("the framer", () => {
  test("finds the same messages however the bytes are cut, and refuses what is no message", () => {
    const random = randomOf("framer");
    const stream = Buffer.concat(messages);
    for (let round = 0; round < 500; round++) {
      const framer = new Framer(10_000);
      const found: Buffer[] = [];
      for (let at = 0; at < stream.length; ) {
        const end = Math.min(stream.length, at + 1 + random.below(40));
        found.push(...framer.push(stream.subarray(at, end)));
        at = end;
      }
      expect(found.map((one) => one.toString("hex"))).toEqual(messages.map((one) => one.toString("hex")));
      expect(framer.isEmpty).toBe(true);
    }
    for (const hex of ["0403020101", "3080", "3084ffffffff"])
      expect(() => [...new Framer(10_000).push(Buffer.from(hex, "hex"))], hex).toThrow(BerError);
  });
});
