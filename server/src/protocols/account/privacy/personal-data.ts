import { readConsents } from "../../../directory/consents/index.ts";
import { membershipsOf } from "../../../directory/organizations/index.ts";
import { readUser } from "../../../directory/users/index.ts";
import { entriesOfUser, readLinks } from "../../../federation/index.ts";
import type { ReadCtx } from "../../../platform/context.ts";
import { signInsOf } from "../../../tenancy/audit/index.ts";
import type { PersonalData } from "./personal-data.schema.ts";
import { readKept } from "./personal-data.store.ts";

const LOGIN_EVENTS = 10_000;

/** Collects all data of a user except secrets. Each part is read by itself, so that no transaction stays open meanwhile. */
export async function collectPersonalData(ctx: ReadCtx, id: string): Promise<PersonalData> {
  const { userId, username, email, enabled, createdAt, attributes, roles } = await readUser(ctx, id);
  const { groups, credentials, ...kept } = await readKept(ctx.tx, ctx.realm, userId, ctx.now);
  const signIns = await signInsOf(ctx.tx, ctx.realm, userId, LOGIN_EVENTS);
  return {
    generatedAt: ctx.now,
    schema: "gatehouse.gdpr.export/v1",
    realmId: ctx.realm,
    userId,
    profile: { username, email, enabled, createdAt },
    attributes,
    roles,
    realmMemberships: [{ realmId: ctx.realm, joinedAt: createdAt, groups }],
    organizations: await membershipsOf(ctx.tx, ctx.realm, userId),
    credentials,
    federatedLinks: await readLinks(ctx, userId),
    directoryEntries: await entriesOfUser(ctx, userId),
    consents: await readConsents(ctx, userId),
    ...kept,
    loginEvents: signIns.map((event) => ({ ...event, ts: new Date(event.ts).toISOString() })),
  };
}

/** Returns the name for `Content-Disposition`. Ids need no escaping and reveal nothing in a folder of downloads. */
export const fileNameOf = ({ realmId, userId }: PersonalData): string => `gatehouse-${realmId}-${userId}.json`;
