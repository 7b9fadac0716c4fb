import type { ClaimSource } from "./source.ts";

/** Reads an attribute of the user. */
export const attribute: ClaimSource = {
  description: "its name",
  refusal: (name) => (name ? null : "name the user attribute"),
  find(name, { user }) {
    if (!user || !Object.hasOwn(user.attributes, name)) return null;
    const value = user.attributes[name]!;
    return { values: typeof value === "string" ? [value] : value, list: false };
  },
};
