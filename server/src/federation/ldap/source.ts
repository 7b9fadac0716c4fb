import { changeSource, findUserForUpdate, readUser, reclaimLoginNames, type UserRow, userErrors } from "../../directory/users/index.ts";
import type { Ctx } from "../../platform/context.ts";
import { basisOf } from "../providers/control.ts";
import { addLink, endOtherLinks, LOCAL, leaveDirectory, makeLocal } from "../providers/links.service.ts";
import { assertMayChoose } from "../providers/mapper-grants.ts";
import type { Directory } from "./directory.ts";
import { directoryErrors } from "./errors.ts";
import { asking, type DirectoryParts, enabledDirectories, search } from "./own-entry.ts";
import { updatePerson } from "./people.ts";
import { isFault, type Person } from "./person.ts";
import { personAt } from "./person-at.ts";

/** The new source of an account: an entry of a directory, or null for the realm itself. */
type NewSource = { readonly directory: Directory; readonly person: Person } | null;

/** Finds the entry for an account, before anything is written. */
export async function findNewSource(
  parts: DirectoryParts,
  { realm, source, name }: { readonly realm: string; readonly source: string; readonly name: string },
): Promise<NewSource> {
  if (source === LOCAL) return null;
  const directory = (await enabledDirectories(parts, realm)).find((each) => each.source === source);
  if (!directory) throw directoryErrors.not_a_source();
  const [entry, ...others] = await search(parts, directory, directory.filterOf(name));
  if (!entry) throw directoryErrors.entry_not_found();
  if (others.length > 0) throw directoryErrors.entry_ambiguous();
  const person = await asking(parts, directory, () => personAt(parts.pools.of(directory.provider), directory, entry));
  if (isFault(person)) throw directoryErrors.entry_unusable(person.message);
  return { directory, person };
}

/**
 * Moves an account: from now on the owner of the entry signs in to it. This gives control of the user, so `findUserForUpdate` requires every permission of the
 * user, and `assertMayChoose` every permission that the entry gives. The database refuses an entry that already belongs to another user.
 */
export async function moveUser(ctx: Ctx, id: string, to: NewSource): Promise<UserRow> {
  const user = await findUserForUpdate(ctx, id);
  const { userId } = user;
  if (user.source === (to?.directory.source ?? LOCAL)) throw directoryErrors.same_source();
  if (to === null) {
    await makeLocal(ctx, user);
    return readUser(ctx, id);
  }
  const { directory, person } = to;
  const { provider } = directory;
  const { alias, providerId } = provider;
  await assertMayChoose(ctx, provider, person.claims);
  await leaveDirectory(ctx, user);
  await endOtherLinks(ctx, userId, providerId);
  await addLink(ctx, alias, { providerId, subject: person.subject, userId, username: person.username, basis: basisOf(provider) });
  const fresh = { subject: person.subject, userId, dn: null, fingerprint: null, disabledBySync: false, groups: "" };
  const outcome = await updatePerson(ctx, directory, person, fresh);
  if (outcome === "taken") throw userErrors.login_name_taken();
  if (typeof outcome === "object") throw directoryErrors.entry_unusable(outcome.message);
  await reclaimLoginNames(ctx.tx, ctx.realm, userId);
  await changeSource(ctx, user, directory.source);
  return readUser(ctx, id);
}
