import { AppError, defineErrors } from "../../kernel/errors.ts";

export const scopeErrors = defineErrors("client_scopes", {
  not_found: [404, "No such client scope in this realm"],
  name_taken: [409, "A client scope with this name exists in the realm"],
  built_in: [409, "This scope is part of the protocol and cannot be deleted. To keep it from a client, list the client's scopes"],
  claim_not_attached: [404, "This client scope does not include that claim"],
});

/** Deleting it would silently change what these clients may request. */
export const inUse = (clientIds: readonly string[], more: boolean) =>
  new AppError(
    "client_scopes.in_use",
    409,
    `Clients list this scope: ${clientIds.join(", ")}${more ? ", …" : ""}. Take it from their scopes first`,
  );
