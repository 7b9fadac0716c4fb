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
  /** The realm's own words, by language and by name of the text. */
  readonly texts?: OwnTexts | undefined;
  readonly backgroundStyle?: "glow" | "plain" | "gradient" | "dots";
  readonly fontFamily?: "system" | "serif" | "rounded" | "mono";
  /** By language; `welcomeText` is for the others. */
  readonly welcomeTexts?: Readonly<Record<string, string>>;
  readonly privacyUrl?: string | null;
  readonly terms?: { readonly url: string | null };
  /** The address of a draft's style sheet. */
  readonly themeHref?: string;
  /** The pictures that the realm keeps here. */
  readonly images?: { readonly "logo-dark"?: BrandImage; readonly favicon?: BrandImage; readonly background?: BrandImage };
}

interface BrandImage {
  readonly href: string;
  readonly mediaType: string;
}

/** For pages outside any realm. The operator's own realm always exists, so its stylesheet does too. */
export const OPERATOR_BRANDING: Branding = {
  realmId: "master",
  displayName: "Gatehouse",
  logoUrl: null,
  primaryColor: null,
  backgroundColor: null,
  welcomeText: null,
  customCss: null,
};

/** The name people see. A realm that has none yet goes by its id. */
export const brandName = (branding: Branding): string => branding.displayName?.trim() || branding.realmId;

/** The welcome text in the language of the page, or of a nearby one. */
export function welcomeTextOf(
  { welcomeTexts = {}, welcomeText }: Pick<Branding, "welcomeText" | "welcomeTexts">,
  locale: string,
): string | null {
  const near =
    Object.keys(welcomeTexts).find((tag) => tag === locale) ?? Object.keys(welcomeTexts).find((tag) => tag.startsWith(`${locale}-`));
  return near === undefined ? welcomeText : welcomeTexts[near]!;
}

/** The letter of the tile that stands in for a missing logo. */
export function monogram(branding: Branding): string {
  const letter = /[\p{L}\p{N}]/u.exec(brandName(branding))?.[0] ?? "•";
  return letter.toLocaleUpperCase("en");
}

export interface Logo {
  readonly src: string;
  /** The sources that `img-src` needs beside `'self' data:` for the logo to load. */
  readonly origin: string | null;
}

// Hosts that can stand in a CSP source list. The URL parser lets `;` and `,` through in host names; a policy must not.
const PLAIN_HTTPS_ORIGIN = /^https:\/\/[a-z0-9.-]+(?::\d{1,5})?$/;
const INLINE_IMAGE = /^data:image\/(?:png|gif|jpeg|webp|avif|svg\+xml)[;,]/i;
const SELF = "https://self.invalid";

/** The logo, when it is one we may show: https, a path of our own, or an inline image. */
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

/** A short fingerprint of text: the part of the stylesheet's address that changes when its content does. */
export const fingerprint = (text: string): string => createHash("sha256").update(text).digest("base64url").slice(0, 12);
