import { type ClaimMapperInput, checkedMapper, type MapperState, ownedMappers } from "../claims/index.ts";
import { clientErrors } from "./errors.ts";
import { readClient, takeClient } from "./service.ts";

/** A client's own mappers, which come after those of its scopes. */
export const clientMappers = ownedMappers<ClaimMapperInput, MapperState>({
  table: "claim_mappers",
  idColumn: "claim_id",
  ownerColumn: "client_id",
  nameTaken: { client_mappers_name_taken: clientErrors.mapper_name_taken },
  notFound: clientErrors.mapper_not_found,
  read: readClient,
  take: takeClient,
  checked: checkedMapper,
  audit: (ctx, id, detail) => ctx.audit({ category: "ADMIN", type: "ADMIN_UPDATE", resourceType: "clients", resourceId: id, detail }),
});
