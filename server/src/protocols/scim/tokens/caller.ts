import type { FastifyRequest } from "fastify";
import { clock } from "../../../kernel/clock.ts";
import { sha256 } from "../../../kernel/vault.ts";
import { actorOf } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/index.ts";
import type { PermissionTokens } from "../../gate/index.ts";
import { findUsableToken, type TokenRow, touchToken } from "./store.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** The token of a SCIM request. */
    scimToken: TokenRow;
  }
}

/** SCIM tokens as callers. The audit trail names them `scim:<name>`. */
export const scimTokens = (db: Db): PermissionTokens => ({
  invalid: "A SCIM token of this realm is needed: send it as Authorization: Bearer",
  async actorOf(request, { realmId: realm }, presented) {
    const now = clock.now();
    const token = await findUsableToken(db, realm, sha256(presented), now);
    if (!token) return null;
    await touchToken(db, realm, token, now);
    request.scimToken = token;
    return actorOf({ id: token.id, name: `scim:${token.name}`, realm, kind: "scim-token", permissions: new Set(token.permissions) });
  },
  resourceOf,
});

/** `/realms/acme/scim/v2/Users/1` is about the user. */
function resourceOf(request: FastifyRequest): { resourceType: string; resourceId: string | undefined } {
  const [, , , , , resourceType = "", id] = (request.url.split("?", 1)[0] ?? "").split("/");
  return { resourceType: resourceType.toLowerCase(), resourceId: id };
}
