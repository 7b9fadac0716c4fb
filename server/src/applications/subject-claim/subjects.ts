import { createHmac, createSecretKey, type KeyObject } from "node:crypto";
import { AppError } from "../../kernel/errors.ts";
import { randomToken, type Vault } from "../../kernel/vault.ts";
import { createRealmCache, type RealmCache, type RealmChanges } from "../../platform/cache/index.ts";
import type { Db } from "../../platform/db/index.ts";
import type { SubjectUser } from "../claims/index.ts";
import type { SubjectClaim } from "./schema.ts";
import { findSubjectClaimAt, keepSalt } from "./store.ts";

/** OpenID Connect Core §2: `sub` has at most 255 characters. */
const MAX_LENGTH = 255;

const missing = (what: string) =>
  new AppError(
    "subject_claim.missing",
    403,
    `Applications know people here by ${what}, and this account has none that can be used. An administrator can add it to the account.`,
  );

/**
 * Returns the `sub` of a user. A user without the configured attribute is refused: another value would be another account in every
 * application, for ever. The salt is read only if it is needed.
 */
export async function subjectOf(
  { strategy, attribute }: SubjectClaim | { readonly strategy: SubjectClaim["strategy"]; readonly attribute?: string | null },
  user: Pick<SubjectUser, "userId" | "username" | "email" | "attributes">,
  sector: string,
  salt: () => Promise<KeyObject>,
): Promise<string> {
  switch (strategy) {
    case "userId":
      return user.userId;
    case "username":
      return user.username;
    case "email":
      return fitting(user.email, "their email address");
    case "attribute":
      return fitting(firstOf(user.attributes, attribute ?? ""), `the attribute ${attribute}`);
    case "pairwise":
      return pairwise(await salt(), sector, user.userId);
  }
}

const fitting = (value: string | null, what: string): string => {
  if (!value || value.length > MAX_LENGTH) throw missing(what);
  return value;
};

function firstOf(attributes: SubjectUser["attributes"], name: string): string | null {
  const value = Object.hasOwn(attributes, name) ? attributes[name]! : null;
  return typeof value === "string" ? value : (value?.[0] ?? null);
}

/** Returns the pairwise subject (OpenID Connect Core §8.1): the same for all clients of a sector, different for others. */
const pairwise = (salt: KeyObject, sector: string, userId: string): string =>
  createHmac("sha256", salt).update(`${sector}\u0000${userId}`).digest("base64url");

export interface SubjectSnapshot {
  readonly configVersion: number;
  readonly subjectClaim: SubjectClaim;
  /** Returns the salt, which is created on first use and never changed, because subjects are derived from it. */
  salt(): Promise<KeyObject>;
}

export type Subjects = RealmCache<SubjectSnapshot>;

interface Parts {
  readonly db: Db;
  readonly vault: Vault;
  readonly changes: RealmChanges;
}

/** Creates the cache of the settings. It must be asked for existing realms only: for any other it returns the defaults. */
export const createSubjects = ({ db, vault, changes }: Parts): Subjects =>
  createRealmCache(changes, async (realm) => {
    const stored = await findSubjectClaimAt(db, realm);
    const place = { realm, table: "realm_oidc", column: "pairwise_salt", row: realm };
    const open = async () => {
      const sealed = stored.salt ?? (await keepSalt(db, realm, vault.seal(randomToken(), place)));
      return createSecretKey(Buffer.from(vault.open(sealed, place), "base64url"));
    };
    let salt: Promise<KeyObject> | undefined;
    const once = () => {
      salt ??= open().catch((error) => {
        salt = undefined;
        throw error;
      });
      return salt;
    };
    return { configVersion: stored.configVersion, subjectClaim: stored.subjectClaim, salt: once };
  });
