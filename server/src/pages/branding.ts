import { createHash } from "node:crypto";
import type { OwnTexts } from "./messages.ts";

/** The branding of a realm's pages. The settings feature stores it; everything here treats it as untrusted. */
export interface Branding {
  readonly realmId: string;
  readonly displayName: string | null;
  readonly logoUrl: string | null;
  readonly primaryColor: string | null;
  readonly backgroundColor: string | null;
  readonly welcomeText: string | null;
  readonly customCss: string | null;
  /** The realm's own texts, by language and by name of the text. */
  readonly texts?: OwnTexts | undefined;
  readonly backgroundStyle?: "glow" | "plain" | "gradient" | "dots";
  readonly fontFamily?: "system" | "serif" | "rounded" | "mono";
  /** The welcome texts by language; `welcomeText` is for other languages. */
  readonly welcomeTexts?: Readonly<Record<string, string>>;
  readonly privacyUrl?: string | null;
  readonly terms?: { readonly url: string | null };
  /** The address of a draft's style sheet. */
  readonly themeHref?: string;
  /** The images that the server stores for the realm. */
  readonly images?: { readonly "logo-dark"?: BrandImage; readonly favicon?: BrandImage; readonly background?: BrandImage };
}

interface BrandImage {
  readonly href: string;
  readonly mediaType: string;
}

/** The branding of pages outside of all realms. The operator's own realm always exists, and so does its stylesheet. */
export const OPERATOR_BRANDING: Branding = {
  realmId: "master",
  displayName: "Gatehouse",
  logoUrl: null,
  primaryColor: null,
  backgroundColor: null,
  welcomeText: null,
  customCss: null,
};

/** Returns the name that people see. For a realm without one, this is its id. */
export const brandName = (branding: Branding): string => branding.displayName?.trim() || branding.realmId;

/** Returns the welcome text in the language of the page, or in a related one. */
export function welcomeTextOf(
  { welcomeTexts = {}, welcomeText }: Pick<Branding, "welcomeText" | "welcomeTexts">,
  locale: string,
): string | null {
  const near =
    Object.keys(welcomeTexts).find((tag) => tag === locale) ?? Object.keys(welcomeTexts).find((tag) => tag.startsWith(`${locale}-`));
  return near === undefined ? welcomeText : welcomeTexts[near]!;
}

/** Returns the letter of the tile that replaces a missing logo. */
export function monogram(branding: Branding): string {
  const letter = /[\p{L}\p{N}]/u.exec(brandName(branding))?.[0] ?? "•";
  return letter.toLocaleUpperCase("en");
}

export interface Logo {
  readonly src: string;
  /** The source that `img-src` needs beside `'self' data:` to load the logo. */
  readonly origin: string | null;
}

// Origins that may be written into a CSP source list. The URL parser accepts `;` and `,` in host names, which a policy must not contain.
const PLAIN_HTTPS_ORIGIN = /^https:\/\/[a-z0-9.-]+(?::\d{1,5})?$/;
export const INLINE_IMAGE = /^data:image\/(?:png|gif|jpeg|webp|avif|svg\+xml)[;,]/i;
const SELF = "https://self.invalid";

/** Returns the logo, if it may be shown: https, a path of our own, or an inline image. */
export function logoOf(logoUrl: string | null | undefined): Logo | null {
  const src = logoUrl?.trim();
  if (!src) return null;
  if (INLINE_IMAGE.test(src)) return { src, origin: null };
  if (!URL.canParse(src, SELF)) return null;
  const url = new URL(src, SELF);
  if (url.username || url.password) return null;
  if (url.origin === SELF) return src.startsWith("/") ? { src, origin: null } : null;
  return /^https:\/\//i.test(src) && PLAIN_HTTPS_ORIGIN.test(url.origin) ? { src: url.href, origin: url.origin } : null;
}

/** Returns a short fingerprint of a text, which makes the stylesheet's address change with its content. */
export const fingerprint = (text: string): string => createHash("sha256").update(text).digest("base64url").slice(0, 12);
