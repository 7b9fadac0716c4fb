// Agents: non-human identities with an owner, a lifecycle and a review. Each is bound to one client, whose tokens name it and count only while it
// is active (applications/access/live.store.ts). Owns `agents`.

export { remindOwners } from "./reminders.ts";
export { agentRoutes } from "./routes.ts";
export { Agent, CreateAgent } from "./schema.ts";
export {
  attestOwnAgent,
  createAgent,
  keepListedByAgents,
  loseClient,
  moveReviewDates,
  orphanAgentsOf,
  readAgent,
  readOwnAgents,
  removeAgent,
  saveAgent,
  searchAgents,
  suspendAgentsOf,
  suspendOwnAgent,
} from "./service.ts";
export { type AgentUse, findShownAgent, noteAgentUse } from "./store.ts";
