import { invalidFields } from "../../kernel/errors.ts";
import { checkedSource, type MapperState, ownedMappers } from "../claims/index.ts";
import { samlClientErrors } from "./errors.ts";
import type { CreateSamlMapper } from "./mappers.schema.ts";
import { readSamlClient, takeSamlClient } from "./service.ts";

export interface SamlMapperState extends MapperState {
  readonly samlName: string;
  readonly samlNameFormat: NonNullable<CreateSamlMapper["samlNameFormat"]>;
  readonly samlFriendlyName: string | null;
}

export const samlClientMappers = ownedMappers<CreateSamlMapper, SamlMapperState>({
  table: "saml_client_mappers",
  idColumn: "mapper_id",
  ownerColumn: "saml_client_id",
  nameTaken: { saml_client_mappers_name_taken: samlClientErrors.mapper_name_taken },
  notFound: samlClientErrors.mapper_not_found,
  read: readSamlClient,
  take: takeSamlClient,
  checked,
  audit: (ctx, entityId, detail) =>
    ctx.audit({ category: "ADMIN", type: "ADMIN_UPDATE", resourceType: "saml-clients", resourceId: entityId, detail }),
});

function checked(input: CreateSamlMapper): SamlMapperState {
  const samlName = input.samlName ?? input.claim;
  if (samlName === undefined)
    throw invalidFields([{ field: "samlName", code: "required", message: "samlName is required: the name of the attribute" }]);
  if (input.source === "roles" && input.value === "client") {
    const message = "value: a SAML client has no roles of its own; name a client by client:<client id>";
    throw invalidFields([{ field: "value", code: "enum", message }]);
  }
  const state = checkedSource({ ...input, claim: input.claim ?? samlName });
  const samlNameFormat = input.samlNameFormat ?? (URL.canParse(samlName) ? "uri" : "basic");
  return { ...state, samlName, samlNameFormat, samlFriendlyName: input.samlFriendlyName ?? null };
}
