import { AppError, defineErrors } from "../../kernel/errors.ts";

export const scopeErrors = defineErrors("client_scopes", {
  not_found: [404, "No such client scope in this realm"],
  name_taken: [409, "A client scope with this name exists in the realm"],
  built_in: [409, "This scope is part of the protocol and cannot be deleted. To keep it from a client, list the client's scopes"],
  claim_not_attached: [404, "This client scope does not include that claim"],
});

const NAMED = 10;

/** A refusal that has so many names can tell that there are more than it says. */
export const LISTING = NAMED + 1;

/** Deleting it would silently change what these may request. Those who list it are named at most `LISTING` times. */
export const inUse = (who: "Clients" | "Agents" | "Workload credentials", names: readonly string[]) =>
  new AppError(
    "client_scopes.in_use",
    409,
    `${who} list this scope: ${names.slice(0, NAMED).join(", ")}${names.length > NAMED ? ", …" : ""}. Take it from their scopes first`,
  );
