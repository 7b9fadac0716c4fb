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
    /** These indicators now stand for another API, or for none: consents to the former one do not apply to the next. */
    "resources.moved": { readonly resources: readonly string[] };
  }
}

interface Named {
  readonly clientId?: string;
  readonly indicators?: readonly string[] | undefined;
}

/**
 * Held until commit: no client gets a client id that is an indicator, while another client gets that indicator, nor one that is a user's id, while an import
 * brings that user. The realm comes before the client, as everywhere.
 */
export async function holdNames(ctx: Ctx, { clientId = "", indicators = [] }: Named) {
  if (clientId.includes(":") || isId(clientId) || indicators.length > 0) await lockRealm(ctx.tx, ctx.realm);
}

/** RFC 9700 §4.15: `sub` of a client's own token is its client id, and must not be taken for that of a user. A deleted user's stays theirs. */
export async function refuseUserId(ctx: Ctx, clientId: string): Promise<void> {
  if (!isId(clientId)) return;
  const userId = clientId.toLowerCase();
  if (!(await findUser(ctx.tx, ctx.realm, userId, ctx.now)) && !(await hadUser(ctx, userId))) return;
  const message = "clientId: this is the id of a user, for whom the client's own tokens would be taken";
  throw invalidFields([{ field: "clientId", code: "reserved", message }]);
}

/** A token for an API must not be taken for one that is meant for a client of the same name. */
export async function refuseIndicator(ctx: Ctx, clientId: string): Promise<void> {
  if (!clientId.includes(":") || !(await isResource(ctx.tx, ctx.realm, clientId))) return;
  const message = "clientId: this is the resource indicator of another client";
  throw invalidFields([{ field: "clientId", code: "reserved", message }]);
}

/** The client becomes the API of these indicators, and no longer of those that it had. */
export async function moveResources(ctx: Ctx, id: string, before: readonly string[], after: readonly string[]): Promise<void> {
  const resources = [...before.filter((each) => !after.includes(each)), ...after.filter((each) => !before.includes(each))];
  if (resources.length === 0) return;
  if (after.length > 0 && (await isOtherClientId(ctx.tx, ctx.realm, id, after))) throw clientErrors.resource_taken();
  await writeResources(ctx.tx, ctx.realm, id, after);
  await ctx.emit("resources.moved", { resources });
}
