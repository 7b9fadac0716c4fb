import type { ColumnType } from "kysely";
import { defineErrors } from "../../kernel/errors.ts";
import type { ReadCtx } from "../../platform/context.ts";
import { type Db, insertRow, nextVersion, type Tx, updateReturning } from "../../platform/db/index.ts";
import { Settings } from "./schema.ts";
import { completeAttribute, type UserProfile } from "./user-profile.schema.ts";

export const settingsErrors = defineErrors("settings", { not_found: [404, "No such realm"] });

interface RealmSettingsTable {
  realm_id: string;
  settings: ColumnType<Record<string, unknown>, string, string>;
  version: ColumnType<number, number | undefined, number>;
}

declare module "../../platform/db/tables.ts" {
  interface Tables {
    realm_settings: RealmSettingsTable;
  }
}

interface StoredSettings {
  /** The settings that a realm has changed. Defaults are not stored, so that better defaults reach old realms. */
  readonly settings: Record<string, unknown>;
  readonly version: number;
}

const stored = (db: Db, realm: string) => db.selectFrom("realm_settings").select(["settings", "version"]).where("realm_id", "=", realm);

export interface VersionedSettings {
  readonly settings: Settings;
  readonly version: number;
}

/** Returns the realm's settings, with defaults for members that were never set. */
export async function readSettings(db: Db, realm: string): Promise<VersionedSettings> {
  const found = await settingsOf(db, realm);
  if (!found) throw settingsErrors.not_found();
  return found;
}

/** Returns the same, and locks them until this transaction ends. */
export async function shareSettings(tx: Tx, realm: string): Promise<Settings> {
  const found = await stored(tx, realm).forShare().executeTakeFirst();
  if (!found) throw settingsErrors.not_found();
  return withDefaults(realm, found.settings);
}

/** Returns the same, or null if there is no such realm, for work that may outlive its realm. */
export async function settingsOf(db: Db, realm: string): Promise<VersionedSettings | null> {
  const found = await stored(db, realm).executeTakeFirst();
  return found ? { settings: withDefaults(realm, found.settings), version: found.version } : null;
}

/** Returns the user profile of the realm, read in this transaction. */
export const readUserProfile = async ({ tx, realm }: ReadCtx): Promise<UserProfile> => (await settingsOf(tx, realm))!.settings.userProfile;

export const lockSettings = async (tx: Tx, realm: string): Promise<StoredSettings | null> =>
  (await stored(tx, realm).forUpdate().executeTakeFirst()) ?? null;

export async function insertSettings(tx: Tx, realm: string, settings: Record<string, unknown>): Promise<void> {
  await insertRow(tx, "realm_settings", { realm_id: realm, settings: JSON.stringify(settings) });
}

export async function updateSettings(tx: Tx, realm: string, settings: Record<string, unknown>): Promise<number> {
  const change = { settings: JSON.stringify(settings), version: nextVersion };
  return (await updateReturning(tx, "realm_settings", { realm_id: realm }, change, ["version"])).version;
}

export const defaultSettings = (realm: string): Settings => withDefaults(realm, {});

/** Returns the stored settings, with defaults for the others. */
export function withDefaults(realm: string, given: object): Settings {
  const settings = filled(Settings as Defaulted, { ...given, realmId: realm }) as Settings;
  const { userProfile } = settings;
  return { ...settings, userProfile: { ...userProfile, attributes: userProfile.attributes.map(completeAttribute) } };
}

interface Defaulted {
  readonly default?: unknown;
  readonly properties?: Record<string, Defaulted>;
}

/** Fills in defaults. TypeBox can do so too, but loading that part of it takes a third of a second at every start. */
function filled(schema: Defaulted, given: unknown): unknown {
  if (!schema.properties) return given === undefined ? schema.default : given;
  const members = (given ?? {}) as Record<string, unknown>;
  return Object.fromEntries(Object.entries(schema.properties).map(([name, member]) => [name, filled(member, members[name])]));
}
