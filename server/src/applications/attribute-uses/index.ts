// The uses of a user attribute by which someone is identified or let in. No attribute that people may edit can have one: `keepAttributesApart` is
// asked after every write on either side that could break this.
export { keepAttributesApart, nameAttributeUses, refuseOpenedUses } from "./service.ts";
export { findAttributeUses, isGranting } from "./uses.store.ts";
