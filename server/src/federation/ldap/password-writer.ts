import { credentialErrors, type DirectoryPasswords, isFromDirectory, type PasswordSource } from "../../directory/credentials/index.ts";
import { defineErrors } from "../../kernel/errors.ts";
import { inTransaction } from "../../platform/db/index.ts";
import { type LdapConnection, LdapError, type LdapFault, PasswordRefused, RESULT } from "../../platform/ldap/index.ts";
import { type DirectoryRefusal, passwordErrors } from "../../platform/passwords/index.ts";
import type { Directory } from "./directory.ts";
import { asking, type DirectoryParts, enabledDirectories, membershipOf, ownEntry, warn } from "./own-entry.ts";
import { checkInDirectories, probeDirectories, tryBind } from "./people.ts";
import { expectRecord } from "./unrecorded.ts";

const errors = defineErrors("password", {
  entry_gone: [409, "This user is no longer in their directory, so there is no password to change"],
});

/** Passwords of users from directories. The directory checks them at sign-in, and they are written there where `editMode` is PASSWORD. */
export const createDirectoryPasswords = (parts: DirectoryParts): PasswordSource & DirectoryPasswords => ({
  name: "directories",
  check: checkInDirectories(parts),
  probe: probeDirectories(parts),

  async modeOf(realm, userId) {
    const membership = await membershipOf(parts, await enabledDirectories(parts, realm), realm, userId);
    if (membership) return membership.directory.writesPasswords ? "writable" : "read-only";
    return (await isFromDirectory(parts.db, realm, userId)) ? "read-only" : "local";
  },

  async write(realm, userId, { next, current }) {
    const membership = await membershipOf(parts, await enabledDirectories(parts, realm), realm, userId);
    if (!membership?.directory.writesPasswords) throw credentialErrors.password_elsewhere();
    const { directory } = membership;
    // An empty password would be an anonymous bind, and some directories end a text at NUL.
    if (current === "" || current?.includes("\0")) throw passwordErrors.wrong();
    if (next.includes("\0")) throw passwordErrors.directory("policy");
    const entry = await ownEntry(parts, membership);
    if (!entry) throw errors.entry_gone();
    const change = { dn: entry.dn, next, current };
    const recorded = await expectRecord(parts, { realm, userId, source: directory.source });
    await asking(parts, directory, () =>
      (current === null ? reset(parts, directory, change) : replaceOwn(parts, directory, { ...change, current })).catch(
        async (error: unknown) => {
          if (!(error instanceof LdapError && UNANSWERED.includes(error.fault))) await inTransaction(parts.db, recorded);
          if (!(error instanceof PasswordRefused)) throw error;
          const reason = reasonOf(error);
          if (reason === null) throw error;
          const { resultCode, diagnostic } = error;
          warn(parts, directory, `a directory refused a new password: ${reason}`, entry, { resultCode, diagnostic });
          parts.metrics.passwordWrite(directory.provider.protocol, "refused");
          throw passwordErrors.directory(reason);
        },
      ),
    );
    parts.metrics.passwordWrite(directory.provider.protocol, "success");
    return { recorded };
  },
});

/** Faults after which it is unknown whether the directory made the change. */
const UNANSWERED: readonly LdapFault[] = ["timeout", "closed", "protocol", "too_large"];

interface PasswordWrite {
  readonly dn: string;
  readonly next: string;
  readonly current: string | null;
}

/**
 * Proves the present password by a bind as the entry, which then changes its own password by the directory's rules. AD and OpenLDAP refuse the bind if the
 * password has expired, but they report that it was right. In that case the service account makes the change.
 */
async function replaceOwn(
  parts: DirectoryParts,
  directory: Directory,
  change: PasswordWrite & { readonly current: string },
): Promise<void> {
  const proven = await parts.pools.of(directory.provider).fresh(async (connection) => {
    const bound = await tryBind(connection, change.dn, change.current);
    if (bound === "wrong") throw passwordErrors.wrong();
    if (bound !== "expired") await writeAs(connection, directory, change);
    return bound;
  });
  if (proven === "expired") await reset(parts, directory, { ...change, current: null });
}

/** Sets a password as the service account: the user forgot the present one, or it has expired. */
async function reset(parts: DirectoryParts, directory: Directory, change: PasswordWrite): Promise<void> {
  const { of } = parts.pools;
  await of(directory.provider).service(async (connection) => {
    await writeAs(connection, directory, change);
    if (directory.traits.marksResets) await clearReset(connection, change.dn);
  });
}

const writeAs = (connection: LdapConnection, { traits }: Directory, change: PasswordWrite): Promise<void> =>
  traits.writePassword(connection, change);

/** Clears the mark that OpenLDAP with `pwdMustChange` sets. It takes the password for an administrator's, but the user has already chosen it. */
async function clearReset(connection: LdapConnection, dn: string): Promise<void> {
  try {
    await connection.modify(dn, [{ operation: "delete", attribute: "pwdReset", values: [] }]);
  } catch (error) {
    // There is no mark, or the account may not remove it. Then the next sign-in asks for another password, but it does not fail.
    if (!(error instanceof LdapError) || error.fault !== "result") throw error;
  }
}

/** Returns null if the refusal concerns neither this password nor this user. */
function reasonOf({ resultCode, policy, diagnostic }: PasswordRefused): DirectoryRefusal | null {
  if (policy === "history") return "history";
  if (policy === "too-young") return "too_young";
  if (policy === "quality" || policy === "too-short") return "policy";
  if (policy === "not-allowed") return "denied";
  // AD: ERROR_PASSWORD_RESTRICTION and ERROR_ACCESS_DENIED, with any result code.
  if (/^0000052D/i.test(diagnostic)) return "policy";
  if (/^00000005:/.test(diagnostic)) return "denied";
  return REASONS.get(resultCode!) ?? null;
}

const REASONS: ReadonlyMap<number, DirectoryRefusal> = new Map([
  [RESULT.constraintViolation, "policy"],
  [RESULT.unwillingToPerform, "policy"],
  [RESULT.insufficientAccessRights, "denied"],
  [RESULT.protocolError, "denied"], // the directory does not support RFC 3062
  [RESULT.unavailableCriticalExtension, "denied"],
]);
