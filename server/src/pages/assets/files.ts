import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

interface Asset {
  readonly body: string;
  /** A version that changes with the content. */
  readonly version: string;
}

/** The scripts and style sheets of our pages, by the name that pages use. The build puts the files beside the bundle. */
const files = {
  "account.css": "./account-style.css",
  "account-parts.css": "./account-parts-style.css",
  "forms.js": "./forms-script.js",
  "hop.js": "./hop-script.js",
  "passkey.js": "./passkey-script.js",
  "signing-out.js": "./signing-out-script.js",
} as const;

export type AssetName = keyof typeof files;

const loaded = new Map<string, Asset>();

/** Returns an asset, which is read when it is first needed, or null if there is none of that name. */
export function assetOf(name: string): Asset | null {
  if (!Object.hasOwn(files, name)) return null;
  const known = loaded.get(name);
  if (known) return known;
  const body = readFileSync(new URL(files[name as AssetName], import.meta.url), "utf8");
  const asset = { body, version: createHash("sha256").update(body).digest("base64url").slice(0, 16) };
  loaded.set(name, asset);
  return asset;
}

/** Returns the asset's address. It changes with its content, so that browsers may cache it for ever. */
export function assetHref(name: AssetName): string {
  return `/assets/${name}?v=${assetOf(name)!.version}`;
}
