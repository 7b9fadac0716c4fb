import { type ClaimSource, convert, one } from "./source.ts";

/** Returns the same value for every subject. */
export const constant: ClaimSource = {
  description: "the value",
  refusal(value, type) {
    if (value === null) return "say what the constant is";
    return convert(value, type) === undefined ? `this text is no ${type}` : null;
  },
  find: (value) => one(value),
};
