import { complete, namesOf } from "../../platform/http/index.ts";
import type { GrantType } from "./grant-types.ts";
import { profileDefaults } from "./profiles.ts";
import { type ClientSettings, type StoredClient, settings } from "./schema.ts";

const defaultGrantTypes: readonly GrantType[] = ["authorization_code", "refresh_token"];

/** Returns every member, with defaults for those that were neither stored nor sent. */
export function completeSettings(given: Partial<StoredClient>, publicClient: boolean): StoredClient {
  const authMethod = publicClient ? "none" : "client_secret";
  const { grantTypes = defaultGrantTypes } = given;
  return { grantTypes, ...complete(settings, { authMethod, ...profileDefaults(given), ...given }) };
}

export function settingsOf({ grantTypes: _, redirectUris: __, webOrigins: ___, scopes: ____, ...settings }: StoredClient): ClientSettings {
  return settings;
}

/** The settings that clients may register, by their names in client metadata. */
export const metadataNames = namesOf(settings);

/** Returns the web origins. `+` means the origins of the redirect URIs that have one. */
export function originsOf({ webOrigins, redirectUris }: Pick<StoredClient, "webOrigins" | "redirectUris">): string[] {
  const own = () => redirectUris.map((uri) => new URL(uri).origin).filter((origin) => origin !== "null");
  return [...new Set(webOrigins.flatMap((origin) => (origin === "+" ? own() : [origin])))];
}
