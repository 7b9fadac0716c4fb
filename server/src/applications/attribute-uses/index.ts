// The uses of a user attribute that identify a user or give access. No attribute that people may edit may have such a use.
// `keepAttributesApart` is called after every write on either side that could break this rule.
export { keepAttributesApart, nameAttributeUses, refuseOpenedUses } from "./service.ts";
export { findAttributeUses, isGranting } from "./uses.store.ts";
