import { logoOf } from "./branding.ts";
import { linkTarget } from "./links.ts";
import type { Messages } from "./messages.ts";

/** An application's description of itself, for pages that ask people something on its behalf. All of it is untrusted. */
export interface ShownApplication {
  readonly name: string;
  readonly logoUrl?: string | null | undefined;
  readonly policyUrl?: string | null | undefined;
  readonly termsUrl?: string | null | undefined;
}

/** Shows the application's logo, if it may be shown: from its own origin, fetched without a referrer. */
export function ApplicationLogo({ name, logoUrl }: ShownApplication) {
  const logo = logoOf(logoUrl);
  return logo?.origin ? (
    <p class="gh-application">
      <img class="gh-application-logo" src={logo.src} alt={name} referrerpolicy="no-referrer" />
    </p>
  ) : null;
}

/** Shows the application's links to its privacy policy and terms (OpenID Connect Dynamic Client Registration §2). */
export function ApplicationLinks({ policyUrl, termsUrl, text }: Omit<ShownApplication, "name"> & { text: Messages }) {
  const links = [
    { href: linkTarget(policyUrl ?? undefined), label: text.consentPolicy },
    { href: linkTarget(termsUrl ?? undefined), label: text.consentTerms },
  ];
  return links.some(({ href }) => href) ? (
    <p class="gh-links">
      {links.map(({ href, label }) =>
        href ? (
          <a href={href} target="_blank" rel="noopener noreferrer">
            {label}
          </a>
        ) : null,
      )}
    </p>
  ) : null;
}
