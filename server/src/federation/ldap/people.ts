import {
  directoryUnavailable,
  type FoundAccount,
  nothingKnown,
  type PasswordAnswer,
  type PasswordQuestion,
} from "../../directory/credentials/index.ts";
import { saveFederatedUser, userErrors } from "../../directory/users/index.ts";
import { AppError } from "../../kernel/errors.ts";
import { loginKey } from "../../kernel/text.ts";
import { type AuditDraft, type Ctx, systemActor } from "../../platform/context.ts";
import { inSavepoint } from "../../platform/db/index.ts";
import { adState, BindRefused, entryId, type LdapConnection, type LdapEntry, RESULT } from "../../platform/ldap/index.ts";
import { touchLink } from "../providers/links.store.ts";
import { followGrants, grantsOfMappers } from "../providers/mapper-grants.ts";
import { type Directory, profileOf } from "./directory.ts";
import { forgetErasure, isDisabledBySync, type KnownEntry, knownEntry, saveEntry, takeFormerEntry } from "./entries.store.ts";
import { erasureHash, erasureKey } from "./erasure.store.ts";
import { groupsOfClaims } from "./mapper-claims.ts";
import { groupsHash } from "./memberships.ts";
import { createPeople, type Outcome, ownerOf } from "./new-people.ts";
import { asking, type DirectoryParts, enabledDirectories, membershipOf, ownEntry, search, warn } from "./own-entry.ts";
import { isFault, type Person } from "./person.ts";
import { personAt } from "./person-at.ts";

// People of directories: the directory checks their passwords, and their users follow their entries.

const MAX_LOGIN = 255;
const WRONG = { verdict: "wrong" } as const;
const UNKNOWN = { verdict: "unknown" } as const;

/**
 * Checks passwords of people in the realm's directories. A user who exists here is looked up in their own directory, by the id of their entry. A name that no
 * user has here is searched for in each directory. A local user's name is searched for in none: the local password decides.
 */
export const checkInDirectories =
  (parts: DirectoryParts) =>
  async (question: PasswordQuestion): Promise<PasswordAnswer> => {
    const { realm, userId, login, password } = question;
    const directories = await enabledDirectories(parts, realm);
    if (directories.length === 0) return UNKNOWN;
    // No directory has such a name, and an empty password would be an anonymous bind.
    if (!isSearchable(login) || password === "" || password.includes("\0")) return UNKNOWN;
    const answer =
      userId === null ? await askEach(parts, directories, question) : await askOwn(parts, directories, { ...question, userId });
    // A wrong password takes at least as long as a wrong local one.
    if (answer.verdict === "wrong") await parts.hasher.verifyNothing(password);
    return answer;
  };

type Found = { readonly entry: LdapEntry; readonly directory: Directory };

/** Checks the password of a user who exists here, in the user's own directory. The entry is found by its id, even after a rename. */
async function askOwn(
  parts: DirectoryParts,
  directories: readonly Directory[],
  question: PasswordQuestion & { readonly userId: string },
): Promise<PasswordAnswer> {
  const { realm, userId, login, password } = question;
  const membership = await membershipOf(parts, directories, realm, userId);
  if (!membership) return UNKNOWN;
  const { directory, subject } = membership;
  const entry = await ownEntry(parts, membership);
  if (!entry) {
    const namesakes = await search(parts, directory, directory.filterOf(login));
    if (namesakes.some((other) => entryId(other, directory.idAttribute) !== subject))
      warn(parts, directory, "another entry has the name of a user whose own entry is gone; a sync sets that right", namesakes[0]);
    return WRONG;
  }
  return bindAs(parts, { entry, directory }, realm, password);
}

/** Checks the password for a name that no user has here. The first directory that knows it decides. An outage counts only if no other one knows it. */
async function askEach(
  parts: DirectoryParts,
  directories: readonly Directory[],
  { realm, login, password, attempted }: PasswordQuestion,
): Promise<PasswordAnswer> {
  let failure: unknown;
  for (const directory of directories) {
    const found = await search(parts, directory, directory.filterOf(login)).catch((error) => {
      failure = error;
      return [];
    });
    if (found.length > 1) {
      warn(parts, directory, "the filter finds more than one entry for a name, so it signs no one in", found[0]);
      return WRONG;
    }
    const [entry] = found;
    if (!entry) continue;
    if (!(await attempted(await accountOf(parts, { entry, directory }, realm)))) return WRONG;
    // The directory did not judge the password, so the attempt does not count against the user.
    return bindAs(parts, { entry, directory }, realm, password).catch((error) => {
      throw directoryUnavailable(error);
    });
  }
  if (failure !== undefined) throw nothingKnown(failure);
  return UNKNOWN;
}

/** Returns the account that attempts are counted for. It is found by the entry, because directories match names more loosely than we do. */
async function accountOf({ db }: DirectoryParts, { entry, directory }: Found, realm: string): Promise<FoundAccount> {
  const { providerId } = directory.provider;
  const subject = entryId(entry, directory.idAttribute) ?? entry.dn;
  return { userId: (await knownEntry(db, { realm, providerId }, subject))?.userId ?? null, id: `${providerId} ${subject}` };
}

/** Searches for a name although another source has found its password wrong, so that it takes as long as for an unknown name. The result does not matter. */
export const probeDirectories =
  (parts: DirectoryParts) =>
  async ({ realm, login }: PasswordQuestion): Promise<void> => {
    if (!isSearchable(login)) return;
    for (const directory of await enabledDirectories(parts, realm)) {
      try {
        if ((await search(parts, directory, directory.filterOf(login))).length > 0) return;
      } catch (error) {
        throw nothingKnown(error);
      }
    }
  };

/** Tells whether a directory could contain this name. */
const isSearchable = (login: string): boolean => login.length <= MAX_LOGIN && !login.includes("\0");

/** Result codes that refuse this account. Any other code means that the directory cannot answer. */
const REFUSALS: readonly number[] = [
  RESULT.constraintViolation, // 389 Directory Server: too many attempts
  RESULT.noSuchObject,
  RESULT.inappropriateAuthentication,
  RESULT.invalidCredentials,
  RESULT.unwillingToPerform, // 389 Directory Server: the account is inactive
];

async function bindAs(parts: DirectoryParts, { entry, directory }: Found, realm: string, password: string): Promise<PasswordAnswer> {
  const bound = await asking(parts, directory, () =>
    parts.pools.of(directory.provider).fresh((connection) => tryBind(connection, entry.dn, password)),
  );
  const { protocol } = directory.provider;
  if (bound === "wrong") {
    parts.metrics.signIn(protocol, "failure");
    return WRONG;
  }
  const found = await provision(parts, { entry, directory }, realm);
  parts.metrics.signIn(protocol, found === null ? "failure" : "success");
  if (found === null) return WRONG;
  const { userId } = found;
  const accepted = async (ctx: Ctx) => {
    await touchLink(ctx.tx, ctx.realm, { providerId: directory.provider.providerId, ...found }, ctx.now);
  };
  if (bound === "right") return { verdict: "right", userId, accepted };
  return directory.writesPasswords ? { verdict: "right", userId, mustChange: true, accepted } : { verdict: "elsewhere", userId };
}

/**
 * Checks a password. `must-change`: it is right, but must be replaced first. `expired`: the same, but the directory refuses the bind by which the user would
 * replace it.
 */
export async function tryBind(
  connection: LdapConnection,
  dn: string,
  password: string,
): Promise<"right" | "must-change" | "expired" | "wrong"> {
  try {
    return (await connection.bind(dn, password)).mustChange ? "must-change" : "right";
  } catch (error) {
    if (!(error instanceof BindRefused) || !REFUSALS.includes(error.resultCode!)) throw error;
    const state = adState(error);
    return error.isExpired || state === "must-change" || state === "password-expired" ? "expired" : "wrong";
  }
}

/** Returns the user of an entry, updated from the entry, or created if there is none. Returns null if there can be no user. */
async function provision(
  parts: DirectoryParts,
  { entry, directory }: Found,
  realm: string,
): Promise<{ readonly userId: string; readonly subject: string; readonly username: string } | null> {
  const { providerId } = directory.provider;
  const person = await asking(parts, directory, () => personAt(parts.pools.of(directory.provider), directory, entry));
  if (isFault(person)) {
    warn(parts, directory, `a person with the right password cannot sign in: ${person.message}`, entry);
    return null;
  }
  const owner = { realm, providerId };
  const asUser = (userId: string) => {
    if (person.enabled) parts.seen.see(directory, userId);
    return { userId, subject: person.subject, username: person.username };
  };
  const find = () => knownEntry(parts.db, owner, person.subject);
  const known = await find();
  if (known?.fingerprint === person.fingerprint) return asUser(known.userId);
  if (!known && !directory.provisions) return null;
  const origin = { realm, actor: systemActor(realm, directory.source), sourceIp: null };
  const outcome = await parts.work.transact(origin, async (ctx) => {
    if (known) return updatePerson(ctx, directory, person, known);
    // An erased user who signs in again gets a new account.
    await forgetErasure(ctx.tx, owner, erasureHash(await erasureKey(ctx.tx, parts.vault), owner, person.subject));
    return (await createPeople(ctx, directory, [person], await grantsOfMappers(ctx, directory.provider, true))).get(person)!;
  });
  // Another sign-in may have created the user in the meantime.
  const now = known ?? (await find());
  if (typeof outcome === "object" || (outcome === "taken" && (known || !now))) {
    const why = outcome === "taken" ? "another user has the name or the mail address" : outcome.message;
    warn(parts, directory, `a person with the right password is not as the directory says: ${why}`, entry);
  }
  // A user who exists here signs in unchanged. No user is created under a name that another user has.
  return now ? asUser(now.userId) : null;
}

/**
 * Links an entry with a new id to the user of the same name whose own entry is gone, if the directory is configured so. Returns null if there is no such user,
 * or if the directory creates a new one.
 */
export async function rejoinFormer(ctx: Ctx, directory: Directory, person: Person): Promise<Outcome | null> {
  if (!directory.returnsToFormer) return null;
  const userId = await takeFormerEntry(ctx.tx, ownerOf(ctx, directory), {
    subject: person.subject,
    usernameKey: loginKey(person.username),
  });
  if (userId === null) return null;
  const detail = `${directory.provider.alias}: another entry of the same name`;
  ctx.audit({ category: "SECURITY", type: "LINK_ADDED", resourceType: "users", resourceId: userId, detail });
  const known = { subject: person.subject, userId, dn: null, fingerprint: null, disabledBySync: true, groups: "" };
  return updatePerson(ctx, directory, person, known);
}

/** Updates a user from their entry, completely or not at all. */
export async function updatePerson(ctx: Ctx, directory: Directory, person: Person, known: KnownEntry): Promise<Outcome> {
  if (known.fingerprint === person.fingerprint) return "unchanged";
  const drafts: AuditDraft[] = [];
  const effects: (() => void)[] = [];
  const own: Ctx = { ...ctx, audit: (draft) => void drafts.push(draft), afterCommit: (effect) => void effects.push(effect) };
  try {
    const outcome = await inSavepoint(ctx.tx, async () => {
      const regrants = await followGrants(own, directory.provider, person.claims, known.userId, false);
      let { disabledBySync } = known;
      const changed = await saveFederatedUser(own, known.userId, profileOf(directory, person), async (enabled) => {
        // An administrator may have disabled the user since the entry was looked up.
        if (disabledBySync) disabledBySync = (await isDisabledBySync(ctx.tx, ownerOf(ctx, directory), person.subject)) ?? disabledBySync;
        // A user whom an administrator disabled stays disabled; one whom the directory disabled is enabled with their entry.
        const isOpen = person.enabled && (enabled || disabledBySync);
        disabledBySync = !person.enabled && (disabledBySync || enabled);
        return isOpen;
      });
      if (changed === null) return "unchanged";
      await saveEntry(ctx.tx, ownerOf(ctx, directory), { ...person, groups: groupsHash(groupsOfClaims(person)), disabledBySync });
      return changed.includes("disabled") ? "disabled" : changed.length > 0 || regrants ? "updated" : "unchanged";
    });
    for (const draft of drafts) ctx.audit(draft);
    for (const effect of effects) ctx.afterCommit(effect);
    return outcome;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    await followAlone(ctx, directory, person, known.userId);
    return error.code === userErrors.login_name_taken().code ? "taken" : { message: error.message };
  }
}

/** Removes grants that the directory no longer gives, even from a user whose new name is taken. */
async function followAlone(ctx: Ctx, directory: Directory, person: Person, userId: string): Promise<void> {
  const drafts: AuditDraft[] = [];
  try {
    await inSavepoint(ctx.tx, () =>
      followGrants({ ...ctx, audit: (draft) => void drafts.push(draft) }, directory.provider, person.claims, userId, false),
    );
    for (const draft of drafts) ctx.audit(draft);
  } catch (error) {
    // The refusal protects the last administrator.
    if (!(error instanceof AppError)) throw error;
  }
}
