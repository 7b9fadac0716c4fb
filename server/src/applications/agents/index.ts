// Agents: non-human identities with an owner, a lifecycle and a review. Each is bound to one client, whose tokens name it and count only while it
// is active (applications/access/live.store.ts). Owns `agents`.
export {
  attestOwnAgent,
  loseClient,
  moveReviewDates,
  orphanAgentsOf,
  readOwnAgents,
  suspendAgentsOf,
  suspendOwnAgent,
} from "./owner.service.ts";
export { remindOwners } from "./reminders.ts";
export { agentRoutes } from "./routes.ts";
export { Agent, CreateAgent } from "./schema.ts";
export { createAgent, readAgent, removeAgent, saveAgent, searchAgents } from "./service.ts";
export { type AgentUse, findShownAgent, noteAgentUse } from "./store.ts";
