import { valuesForApplications } from "../../../tenancy/settings/index.ts";
import type { ClaimSource } from "./source.ts";

/** Reads an attribute of the user. */
export const attribute: ClaimSource = {
  description: "its name",
  refusal: (name) => (name ? null : "name the user attribute"),
  find(name, { user }) {
    if (!user || !Object.hasOwn(user.attributes, name)) return null;
    return { values: valuesForApplications(name, [user.attributes[name]!].flat()), list: false };
  },
};
