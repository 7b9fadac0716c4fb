import { oncePer } from "../kernel/once.ts";
import { type Branding, fingerprint } from "./branding.ts";
import { safeCustomCss } from "./custom-css.ts";
import { type Palette, palettesOf } from "./palette.ts";
import { STYLESHEET } from "./stylesheet.ts";

const tokens = (palette: Palette): string =>
  Object.entries(palette)
    .map(([name, color]) => `--gh-${name}: ${color};`)
    .join(" ");

/** The schemes that a visitor can choose instead of the browser's. */
export const THEMES = ["light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

/** Font families that devices have, because pages load no fonts. */
const FONTS = {
  system: 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", "Liberation Sans", Arial, sans-serif',
  serif: 'ui-serif, "Iowan Old Style", Charter, Cambria, Georgia, "Noto Serif", "Liberation Serif", serif',
  rounded: 'ui-rounded, "SF Pro Rounded", "Hiragino Maru Gothic ProN", Quicksand, Nunito, Comfortaa, Manjari, system-ui, sans-serif',
  mono: 'ui-monospace, "SF Mono", Menlo, Consolas, "Liberation Mono", "DejaVu Sans Mono", monospace',
};

/** Backdrops of the page. All text is on the card, so no backdrop lowers its contrast. */
const BACKDROPS = {
  glow: "radial-gradient(60rem 36rem at 50% -8rem, var(--gh-glow), transparent 75%) no-repeat",
  plain: "none",
  gradient:
    "linear-gradient(160deg, var(--gh-glow), var(--gh-page) 55%, color-mix(in srgb, var(--gh-button) 30%, var(--gh-page))) no-repeat fixed",
  dots: "radial-gradient(circle at 1px 1px, color-mix(in srgb, var(--gh-button) 28%, var(--gh-page)) 1.5px, transparent 0) 0 0 / 22px 22px",
};

/** Returns the realm's picture, which covers the page behind the card, or one of our backdrops. We made the picture's address, and it contains no quotes. */
const backdropOf = ({ images, backgroundStyle = "glow" }: Branding): string =>
  images?.background ? `url("${images.background.href}") center / cover no-repeat fixed` : BACKDROPS[backgroundStyle];

/** Returns the stylesheet at `/realms/{realm}/theme.css`. Send it as `text/css; charset=utf-8` with `nosniff`. */
export function themeCss(branding: Branding): string {
  const { light, dark } = palettesOf(branding);
  // It is checked again, although settings refuse a bad one: rules become stricter over time, and stored values do not.
  const custom = branding.customCss === null ? null : safeCustomCss(branding.customCss);
  return [
    `:root { ${tokens(light)} --gh-font: ${FONTS[branding.fontFamily ?? "system"]}; --gh-backdrop: ${backdropOf(branding)}; }`,
    `@media (prefers-color-scheme: dark) { :root:not([data-theme="light"]) { ${tokens(dark)} } }`,
    `:root[data-theme="dark"] { ${tokens(dark)} }`,
    STYLESHEET.trim(),
    ...(custom?.ok ? ["/* customCss of the realm */", custom.css] : []),
    "",
  ].join("\n");
}

// A branding is part of the realm's immutable snapshot: the same object always gives the same sheet. Only its version is kept, because browsers keep
// the sheet, and those of thousands of realms would take a hundred megabytes.
const sheetOf = oncePer((branding: Branding) => ({ version: fingerprint(themeCss(branding)) }));

/** Returns a version that changes with `themeCss`, for an ETag. */
export const themeVersion = (branding: Branding): string => sheetOf(branding).version;

/** Returns the address that pages link to. Its version lets browsers keep the sheet as long as it stays the same. */
export const themeHref = (branding: Branding): string =>
  branding.themeHref ?? `/realms/${encodeURIComponent(branding.realmId)}/theme.css?v=${themeVersion(branding)}`;
