import { defineErrors } from "../../kernel/errors.ts";

export const webhookErrors = defineErrors("webhooks", {
  not_found: [404, "No such webhook in this realm"],
  delivery_not_found: [404, "This webhook has no such delivery"],
  event_gone: [409, "The event of this delivery was deleted, so there is nothing to send"],
});
