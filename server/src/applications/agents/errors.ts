import { defineErrors } from "../../kernel/errors.ts";

export const agentErrors = defineErrors("agents", {
  not_found: [404, "No such agent in this realm"],
  name_taken: [409, "Another agent of this realm has this name"],
  client_taken: [409, "Another agent is bound to this client"],
  state: [409, "The agent is in a state that does not allow this"],
  bound: [409, "An agent keeps its client: revoke it, and create another for the new client"],
  no_client: [409, "The agent has no client: bind it to one first"],
  no_owner: [409, "The agent has no enabled owner: name a responsible user first"],
  expired: [409, "The agent has expired: set a later expiresAt first"],
});
