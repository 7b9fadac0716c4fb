import { isDirectorySource } from "../../directory/credentials/index.ts";
import type { UserLinks } from "../../directory/import/index.ts";
import { changeSource, findUserForUpdate, readUser, takeOwnUser, type UserRow } from "../../directory/users/index.ts";
import { invalidFields } from "../../kernel/errors.ts";
import type { Ctx, ReadCtx } from "../../platform/context.ts";
import { assertHolds } from "../../tenancy/permissions/index.ts";
import { basisOf, sourceOf } from "./control.ts";
import { providerErrors } from "./errors.ts";
import type { LinkedAccount } from "./links.schema.ts";
import { deleteLink, findLinkedUser, insertLink, type Link, linksOfUser, type NewLink } from "./links.store.ts";
import { followGrants } from "./mapper-grants.ts";
import { protocolOf } from "./protocols.ts";
import { shareProvider } from "./store.ts";

const shown = ({ providerId: _, ...link }: Link): LinkedAccount => link;

export async function readLinks(ctx: ReadCtx, id: string): Promise<LinkedAccount[]> {
  const { userId } = await readUser(ctx, id);
  return (await linksOfUser(ctx.tx, ctx.realm, userId)).map(shown);
}

export async function readLink(ctx: ReadCtx, id: string, alias: string): Promise<LinkedAccount> {
  const link = (await readLinks(ctx, id)).find((each) => each.alias === alias);
  if (!link) throw providerErrors.link_not_found();
  return link;
}

/** Removes a link as an administrator. The user is locked, and must be within the administrator's reach. */
export async function removeLink(ctx: Ctx, id: string, alias: string): Promise<void> {
  const user = await findUserForUpdate(ctx, id);
  const { userId } = user;
  if ((await linkToSource(ctx, user))?.alias === alias) return makeLocal(ctx, user);
  await unlink(ctx, userId, alias);
  ctx.audit({ category: "ADMIN", type: "ADMIN_UPDATE", resourceType: "users", resourceId: userId, detail: `linked accounts -${alias}` });
}

export async function removeOwnLink(ctx: Ctx, alias: string): Promise<void> {
  const user = await takeOwnUser(ctx);
  // A user who left the directory would outlive their account there.
  if ((await linkToSource(ctx, user))?.alias === alias) throw providerErrors.kept_by_directory();
  await unlink(ctx, user.userId, alias);
}

const linkToSource = async (ctx: ReadCtx, { userId, source }: Pick<UserRow, "userId" | "source">): Promise<Link | undefined> =>
  isDirectorySource(source)
    ? (await linksOfUser(ctx.tx, ctx.realm, userId)).find(({ protocol, alias }) => sourceOf(protocol, alias) === source)
    : undefined;

export const LOCAL = "local";

/**
 * Makes a directory's user a local one. The user stays the same, except for what the directory's mappers gave, and has no password until an administrator or a
 * mail sets one. The caller holds the lock on the user's row.
 */
export async function makeLocal(ctx: Ctx, user: UserRow): Promise<void> {
  await leaveDirectory(ctx, user);
  await changeSource(ctx, user, LOCAL);
}

/** Ends the link to the directory that a user comes from, and takes back what came by it. */
export async function leaveDirectory(ctx: Ctx, user: UserRow): Promise<void> {
  const link = await linkToSource(ctx, user);
  if (!link) return;
  await endLink(ctx, user.userId, link);
}

/** Ends all other links of an account that moves to a directory entry: each of them may let in another person than the owner of the entry. */
export async function endOtherLinks(ctx: Ctx, userId: string, providerId: string): Promise<void> {
  for (const link of await linksOfUser(ctx.tx, ctx.realm, userId)) if (link.providerId !== providerId) await endLink(ctx, userId, link);
}

/** Deletes a link and withdraws what mappers gave by it, because no later sign-in by the provider could. */
async function endLink(ctx: Ctx, userId: string, { providerId, protocol, alias }: Link): Promise<void> {
  await followGrants(ctx, { providerId, protocol, alias, mappers: [], config: {} }, {}, userId, false);
  await deleteLink(ctx.tx, ctx.realm, userId, providerId);
  ctx.audit({ category: "SECURITY", type: "LINK_REMOVED", resourceType: "users", resourceId: userId, detail: alias });
}

/** Removes a link of a locked user. Refuses to remove the last way to sign in. */
async function unlink(ctx: Ctx, userId: string, alias: string): Promise<void> {
  const links = await linksOfUser(ctx.tx, ctx.realm, userId);
  const link = links.find((each) => each.alias === alias);
  if (!link) throw providerErrors.link_not_found();
  await endLink(ctx, userId, link);
  if (link.enabled) await ctx.emit("user.way_in_given_up", { userId, lost: { link: true }, refused: providerErrors.last_way_in });
}

/**
 * Links a locked user to the account that a provisioning client reports, and replaces another link to the same provider. A null `subject` ends the link. The
 * administrator who allowed this to the client needed the permissions of the provider's users.
 */
export async function linkProvisioned(ctx: Ctx, alias: string, userId: string, subject: string | null): Promise<void> {
  const provider = await shareProvider(ctx.tx, ctx.realm, alias);
  if (!provider) return;
  const { providerId } = provider;
  const present = (await linksOfUser(ctx.tx, ctx.realm, userId)).find((link) => link.providerId === providerId);
  if ((present?.subject ?? null) === subject) return;
  if (present) await endLink(ctx, userId, present);
  if (subject === null || !(await insertLink(ctx.tx, ctx.realm, { providerId, subject, userId, username: null }, ctx.now))) return;
  ctx.audit({ category: "SECURITY", type: "LINK_ADDED", resourceType: "users", resourceId: userId, detail: alias });
}

/** The links of users that an import creates. A link decides who signs in as the user. */
export const importedLinks: UserLinks = {
  async check(ctx, { provider: alias, subject }) {
    assertHolds(ctx.actor, ["manage-identity-providers"]);
    const provider = await shareProvider(ctx.tx, ctx.realm, alias);
    // The sync of a directory creates its users, so an import cannot.
    if (!provider || protocolOf(provider.protocol).directory) throw unknownProvider(alias);
    if ((await findLinkedUser(ctx.tx, ctx.realm, provider.providerId, subject)) !== null) throw providerErrors.subject_linked();
    return provider.providerId;
  },
  async insert(ctx, link) {
    await insertLink(ctx.tx, ctx.realm, link, ctx.now);
  },
};

const unknownProvider = (alias: string) =>
  invalidFields([
    {
      field: "federatedIdentities",
      code: "unknown",
      message: `This realm has no identity provider “${alias}” for sign-ins`,
    },
  ]);

/** Links a locked user. `basis` is the provider's when it named the account. A link that another tab has already made counts as success. */
export async function addLink(
  ctx: Ctx,
  alias: string,
  { basis, ...link }: NewLink & { readonly basis: string },
  actor?: { id: string; name: string },
): Promise<void> {
  const provider = await shareProvider(ctx.tx, ctx.realm, alias);
  if (!provider?.enabled || provider.providerId !== link.providerId || basisOf(provider) !== basis) throw providerErrors.changed();
  if (!(await insertLink(ctx.tx, ctx.realm, link, ctx.now))) return;
  const about = { resourceType: "users", resourceId: link.userId, detail: alias };
  ctx.audit({ category: "SECURITY", type: "LINK_ADDED", ...about, ...(actor && { actor }) });
}
