import { createHash } from "node:crypto";

const FIRST_SIZE = 1 << 12;
/** 64 MB. A dry run of more names than that no longer notices when two far apart are the same. */
const MAX_SIZE = 1 << 23;

export interface KeySet {
  has(key: string): boolean;
  add(key: string): void;
}

/**
 * The names that a dry run would have taken, eight bytes each: a million rows of them as text would not stay flat. Two different
 * names meet in one number once in some thousand files of a million rows, and then a dry run, not an import, errs by one row.
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

/** 48 bits of a digest, never zero, which marks a free slot. */
const numberOf = (key: string): number => createHash("sha256").update(key).digest().readUIntBE(0, 6) + 1;
