import { AppError, defineErrors } from "../../kernel/errors.ts";
import { listed } from "../../kernel/lists.ts";

export const flowErrors = defineErrors("flows", {
  not_found: [404, "No such flow in this realm"],
  alias_taken: [409, "A flow with this alias already exists in this realm"],
  built_in: [409, "This is a built-in flow: you can change it, but neither rename nor delete it"],
  shuts_out: [
    409,
    "No enabled administrator who holds realm-admin could pass these steps with what they have now: let one set up what the steps ask for first, or keep another way beside them",
  ],
  too_many: [409, "A realm has at most 100 custom flows: delete an unused one"],
});

/** Refuses to delete a flow, because that would silently change how users of these clients sign in. */
export const inUse = (clientIds: readonly string[]) =>
  new AppError(
    "flows.in_use",
    409,
    `Clients use this flow: ${listed(clientIds)}. Give them another one first (browserFlow, directGrantFlow)`,
  );
