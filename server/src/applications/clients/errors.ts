import { defineErrors } from "../../kernel/errors.ts";

export const clientErrors = defineErrors("clients", {
  not_found: [404, "No such client in this realm"],
  client_id_taken: [409, "A client with this client id already exists in this realm"],
  resource_taken: [409, "One of the resource indicators belongs to another client of the realm, as an indicator or as its client id"],
  no_secret: [409, "This client has no secret: it is public, or it authenticates with keys or a certificate"],
  reveal_off: [
    403,
    "This realm does not show the secrets of its clients: make a new one instead, or change the setting clientSecretReveal",
  ],
  no_service_account: [409, "This client has no service account: allow it the grant type client_credentials first"],
  mapper_not_found: [404, "No such mapper of this client"],
  mapper_name_taken: [409, "This client already has a mapper with this name"],
});
