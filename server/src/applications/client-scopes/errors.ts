import { AppError, defineErrors } from "../../kernel/errors.ts";
import { listed } from "../../kernel/lists.ts";

export const scopeErrors = defineErrors("client_scopes", {
  not_found: [404, "No such client scope in this realm"],
  name_taken: [409, "A client scope with this name already exists in this realm"],
  built_in: [409, "This scope is part of the protocol and cannot be deleted. To keep it from a client, list the client's scopes"],
  claim_not_attached: [404, "This client scope does not include that claim"],
});

/** Refuses to delete a scope that these objects list, because that would silently change what they may request. Names some of them. */
export const inUse = (who: "Clients" | "Agents" | "Workload credentials", names: readonly string[]) =>
  new AppError("client_scopes.in_use", 409, `${who} list this scope: ${listed(names)}. Take it from their scopes first`);
