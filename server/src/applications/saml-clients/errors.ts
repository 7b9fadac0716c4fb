import { defineErrors } from "../../kernel/errors.ts";

export const samlClientErrors = defineErrors("saml_clients", {
  not_found: [404, "No such SAML client in this realm"],
  entity_id_taken: [409, "A SAML client with this entityId already exists in this realm"],
  mapper_not_found: [404, "No such mapper of this SAML client"],
  mapper_name_taken: [409, "This SAML client already has a mapper with this name"],
});
