// SCIM targets: services elsewhere that get the realm's users and groups (RFC 7644, as a client). Owns `scim_targets`, `scim_target_states`,
// `scim_objects`, `scim_members` and `scim_changes`. Triggers record changes (changes.store.ts); each target has a lane that brings it up to date (lane.ts).
export { eraseAtTargets } from "./erasure.store.ts";
export { deleteGoneObjects } from "./objects.store.ts";
export { scimTargetRoutes } from "./routes.ts";
export { CreateScimTarget } from "./schema.ts";
export { openSecret as openTargetSecret } from "./secrets.ts";
export { createScimSender, type ScimSender } from "./sender.ts";
export { createTarget, removeTarget, saveTarget, searchTargets } from "./service.ts";
export { defaults as targetDefaults } from "./settings.ts";
