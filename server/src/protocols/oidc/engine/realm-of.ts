import type { KoaContextWithOIDC, Provider } from "oidc-provider";
import type { RealmParts } from "../parts.ts";

const known = new WeakMap<object, RealmParts>();

export const setRealmParts = (provider: Provider, parts: RealmParts): void => void known.set(provider, parts);

/** The realm of an engine request: the engine's steps are shared by all realms. */
export function partsOf({ oidc: { provider } }: KoaContextWithOIDC): RealmParts {
  const parts = known.get(provider);
  if (!parts) throw new Error("A Provider that belongs to no realm");
  return parts;
}
