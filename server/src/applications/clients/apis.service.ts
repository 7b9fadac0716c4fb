import { findUser } from "../../directory/users/index.ts";
import { invalidFields } from "../../kernel/errors.ts";
import { isId } from "../../kernel/ids.ts";
import type { Ctx } from "../../platform/context.ts";
import { lockRealm } from "../../platform/db/index.ts";
import { hadUser } from "../../tenancy/audit/index.ts";
import { isOtherClientId, isResource, writeResources } from "./apis.store.ts";
import { clientErrors } from "./errors.ts";

declare module "../../platform/context.ts" {
  interface DomainEvents {
    /** These indicators now stand for another API, or for none, so consents to the former one do not apply to the next. */
    "resources.moved": { readonly resources: readonly string[] };
  }
}

interface Named {
  readonly clientId?: string;
  readonly indicators?: readonly string[] | undefined;
}

/**
 * Locks the realm until commit if the names could collide: no client gets a client id that is an indicator while another client gets that
 * indicator, or one that is a user's id while an import brings that user. The realm is locked before the client, as everywhere.
 */
export async function holdNames(ctx: Ctx, { clientId = "", indicators = [] }: Named) {
  if (clientId.includes(":") || isId(clientId) || indicators.length > 0) await lockRealm(ctx.tx, ctx.realm);
}

/**
 * Refuses the id of a user as a client id. RFC 9700 §4.15: `sub` of a client's own token is its client id, and must not be mistaken for a
 * user's. The id of a deleted user stays reserved.
 */
export async function refuseUserId(ctx: Ctx, clientId: string): Promise<void> {
  if (!isId(clientId)) return;
  const userId = clientId.toLowerCase();
  if (!(await findUser(ctx.tx, ctx.realm, userId, ctx.now)) && !(await hadUser(ctx, userId))) return;
  const message = "clientId: this is the id of a user, for whom the client's own tokens would be taken";
  throw invalidFields([{ field: "clientId", code: "reserved", message }]);
}

/** Refuses an indicator as a client id, because a token for an API must not be mistaken for one for a client of the same name. */
export async function refuseIndicator(ctx: Ctx, clientId: string): Promise<void> {
  if (!clientId.includes(":") || !(await isResource(ctx.tx, ctx.realm, clientId))) return;
  const message = "clientId: this is the resource indicator of another client";
  throw invalidFields([{ field: "clientId", code: "reserved", message }]);
}

/** Makes the client the API of these indicators, and no longer of its former ones. */
export async function moveResources(ctx: Ctx, id: string, before: readonly string[], after: readonly string[]): Promise<void> {
  const resources = [...before.filter((each) => !after.includes(each)), ...after.filter((each) => !before.includes(each))];
  if (resources.length === 0) return;
  if (after.length > 0 && (await isOtherClientId(ctx.tx, ctx.realm, id, after))) throw clientErrors.resource_taken();
  await writeResources(ctx.tx, ctx.realm, id, after);
  await ctx.emit("resources.moved", { resources });
}
