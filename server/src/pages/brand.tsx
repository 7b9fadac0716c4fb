import { type Branding, brandName, logoOf, monogram } from "./branding.ts";
import { linkTarget } from "./links.ts";
import { type Locale, messagesOf } from "./messages.ts";
import type { Theme } from "./theme.ts";

/** Shows the logo, or a letter in its place. In the dark scheme the logo for that scheme replaces it, without the white plate. */
export function BrandMark({ branding, theme }: { branding: Branding; theme?: Theme | undefined }) {
  const logo = logoOf(branding.logoUrl);
  if (!logo)
    return (
      <div class="gh-brand">
        <span class="gh-monogram" aria-hidden="true">
          {monogram(branding)}
        </span>
      </div>
    );
  const dark = branding.images?.["logo-dark"];
  const shown = theme === "dark" && dark ? dark.href : logo.src;
  return (
    <div class="gh-brand">
      <picture>
        {dark && theme === undefined ? <source media="(prefers-color-scheme: dark)" srcset={dark.href} /> : null}
        <img class={dark ? "gh-logo gh-logo--own" : "gh-logo"} src={shown} alt={brandName(branding)} referrerpolicy="no-referrer" />
      </picture>
    </div>
  );
}

/** Shows links to the realm's terms and its privacy statement. */
export function BrandLinks({ branding, locale }: { branding: Branding; locale: Locale }) {
  const text = messagesOf({ locale, branding });
  const links = [
    { href: linkTarget(branding.terms?.url ?? undefined), label: text.termsTitle },
    { href: linkTarget(branding.privacyUrl ?? undefined), label: text.privacyLink },
  ].filter(({ href }) => href !== null);
  if (links.length === 0) return null;
  return (
    <p class="gh-brand-links">
      {links.map(({ href, label }) => (
        <a class="gh-brand-link" href={href!} rel="noreferrer">
          {label}
        </a>
      ))}
    </p>
  );
}

/** Sets the icon of the browser's tab. The tile with a letter needs no request, and distinguishes the tabs of two realms. */
export function TabIcon({ branding, surface, ink }: { branding: Branding; surface: string; ink: string }) {
  const own = branding.images?.favicon;
  return <link rel="icon" type={own?.mediaType ?? "image/svg+xml"} href={own?.href ?? tile(branding, surface, ink)} />;
}

function tile(branding: Branding, surface: string, ink: string): string {
  const letter = monogram(branding).replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
  const svg =
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="9" fill="${surface}"/>` +
    `<text x="16" y="22" text-anchor="middle" font-family="sans-serif" font-weight="700" font-size="18" fill="${ink}">${letter}</text></svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}
