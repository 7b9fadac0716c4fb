/** RFC 8628 §6.1: no vowels, so no words; people tell these letters apart. */
const CODE = /^[BCDFGHJKLMNPQRSTVWXZ]{8}$/;

/** A code as it was typed: dashes, spaces and small letters do not matter. Null: it cannot be one. */
export function normaliseUserCode(typed: string): string | null {
  const code = typed.toUpperCase().replace(/[^A-Z0-9]/g, "");
  return CODE.test(code) ? code : null;
}

/** As the device shows it. */
export const spellUserCode = (code: string): string => `${code.slice(0, 4)}-${code.slice(4)}`;
