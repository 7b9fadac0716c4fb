/** RFC 8628 §6.1: without vowels, so that no words result. */
const CODE = /^[BCDFGHJKLMNPQRSTVWXZ]{8}$/;

/** Normalises a typed code: dashes, spaces and case are ignored. Null: not a code. */
export function normaliseUserCode(typed: string): string | null {
  const code = typed.toUpperCase().replace(/[^A-Z0-9]/g, "");
  return CODE.test(code) ? code : null;
}

/** With the dash, as the device shows it. */
export const spellUserCode = (code: string): string => `${code.slice(0, 4)}-${code.slice(4)}`;
