import { createHash } from "node:crypto";

const FIRST_SIZE = 1 << 12;
/** 64 MB. In a dry run of more names, repeated names that are far apart are not noticed. */
const MAX_SIZE = 1 << 23;

export interface KeySet {
  has(key: string): boolean;
  add(key: string): void;
}

/**
 * The names that a dry run would have taken, in eight bytes each: as text, those of a million rows would need too much memory. Two different names
 * share a number once in some thousand files of a million rows; then a dry run, but no import, is wrong about one row.
 */
export function createKeySet(): KeySet {
  let slots = new Float64Array(FIRST_SIZE);
  let used = 0;

  const slotOf = (numbers: Float64Array, number: number): number => {
    let slot = number % numbers.length;
    while (numbers[slot] !== 0 && numbers[slot] !== number) slot = (slot + 1) % numbers.length;
    return slot;
  };
  const grow = () => {
    const larger = new Float64Array(slots.length * 2);
    for (const number of slots) if (number !== 0) larger[slotOf(larger, number)] = number;
    slots = larger;
  };

  return {
    has: (key) => slots[slotOf(slots, numberOf(key))] !== 0,
    add(key) {
      if (used * 2 >= slots.length) {
        if (slots.length >= MAX_SIZE) return;
        grow();
      }
      const number = numberOf(key);
      const slot = slotOf(slots, number);
      if (slots[slot] !== 0) return;
      slots[slot] = number;
      used++;
    },
  };
}

/** Returns 48 bits of a digest plus one, because zero marks a free slot. */
const numberOf = (key: string): number => createHash("sha256").update(key).digest().readUIntBE(0, 6) + 1;
