// The uses of a user attribute by which someone is identified or let in. No attribute that people may edit can have one: `keepAttributesApart` is
// asked after every write that could break this, whichever side it is on.
export { keepAttributesApart, refuseOpenedUses } from "./service.ts";
export { findAttributeUses, isGranting } from "./uses.store.ts";
