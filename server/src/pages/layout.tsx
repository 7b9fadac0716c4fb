import type { ComponentChildren, VNode } from "preact";
import { render } from "preact-render-to-string";
import { BrandLinks, BrandMark, TabIcon } from "./brand.tsx";
import { type Branding, brandName, OPERATOR_BRANDING } from "./branding.ts";
import { linkTarget } from "./links.ts";
import { dirOf, type LanguageLink } from "./locale.ts";
import { type Locale, type Messages, messagesOf } from "./messages.ts";
import { palettesOf } from "./palette.ts";
import { Filled, filledText, withoutBidiControls } from "./text.tsx";
import { type Theme, themeHref } from "./theme.ts";

export interface PageFrame {
  /** Null for a page that belongs to no realm. */
  readonly branding: Branding | null;
  readonly locale: Locale;
  readonly languages?: readonly LanguageLink[];
  /** The scheme that the visitor chose. The default is the browser's. */
  readonly theme?: Theme | undefined;
  /** Our scripts. As far as the browser allows, the page works without them. */
  readonly scripts?: readonly PageScript[];
  /** The page with this realm's mail, which development mode keeps instead of sending it. */
  readonly mailbox?: string | undefined;
  /** Set if an administrator acts as a user: every page says so and offers to stop. */
  readonly impersonation?: FormTarget & { readonly account: string };
}

export interface Problem {
  readonly title: string;
  readonly text: string;
}

/** The `id` of the problem's text, to which invalid fields refer. */
export const ALERT_ID = "gh-error";

/** A sentence, or a template with its values; elements are shown as they are. */
export type Lead = string | readonly [template: string, values: Readonly<Record<string, string>>] | VNode | null;

/** The form's action. */
export interface FormTarget {
  readonly csrf: string;
  /** The path of the action. */
  readonly action: string;
}

/** One of our scripts, with the nonce by which the page's policy allows it. */
export interface PageScript {
  readonly src: string;
  readonly nonce: string;
}

/** The frame of a page: its head, and a body of a kind. */
interface SheetProps extends PageFrame {
  readonly kind: "login" | "logout" | "invitation" | "consent" | "device" | "message" | "account";
  /** The heading; `{name}` is the realm's name. */
  readonly title: string;
  /** The problem, which comes first in the browser's title, because screen readers read that first. */
  readonly problem?: Pick<Problem, "title"> | null | undefined;
  readonly children?: ComponentChildren;
  /** Our style sheets, which come before the realm's own. */
  readonly styles?: readonly string[];
}

interface DocumentProps extends SheetProps {
  /** Shown above everything else. */
  readonly problem?: Problem | null | undefined;
  /** True if a field shows the problem. */
  readonly isProblemBelow?: boolean;
  readonly lead?: Lead | undefined;
}

export const renderDocument = (page: VNode): string => `<!doctype html>${render(page)}`;

export const brandOf = ({ branding }: Pick<PageFrame, "branding">): Branding => branding ?? OPERATOR_BRANDING;

/** The frame around the content of every page. */
export function Sheet({ branding, locale, theme, impersonation, kind, title, problem, ...page }: SheetProps) {
  const brand = brandOf({ branding });
  const { light, dark } = palettesOf(brand);
  const names = { name: brandName(brand) };
  const heading = filledText(title, names);
  // Most headings already contain the name, so the title does not repeat it.
  const tabTitle = title.includes("{name}") ? heading : `${heading} · ${filledText("{name}", names)}`;
  return (
    <html lang={locale} dir={dirOf(locale)} data-theme={theme}>
      <head>
        <meta charset="utf-8" />
        <title>{problem ? `${messagesOf({ locale, branding }).errorPrefix}: ${problem.title} · ${tabTitle}` : tabTitle}</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content={theme ?? "light dark"} />
        {theme === "dark" ? null : <meta name="theme-color" media={theme ? undefined : LIGHT} content={light.page} />}
        {theme === "light" ? null : <meta name="theme-color" media={theme ? undefined : DARK} content={dark.page} />}
        <meta name="robots" content="noindex" />
        <TabIcon branding={brand} surface={light.button} ink={light["button-text"]} />
        {page.styles?.map((href) => (
          <link rel="stylesheet" href={href} />
        ))}
        <link rel="stylesheet" href={branding ? themeHref(branding) : `/realms/${OPERATOR_BRANDING.realmId}/theme.css`} />
        {page.scripts?.map(({ src, nonce }) => (
          <script src={src} nonce={nonce} defer />
        ))}
      </head>
      <body class={`gh-page gh-page--${kind}${impersonation ? " gh-page--impersonated" : ""}`}>
        {impersonation ? <Banner text={messagesOf({ locale, branding })} {...impersonation} /> : null}
        {page.children}
      </body>
    </html>
  );
}

const LIGHT = "(prefers-color-scheme: light)";
const DARK = "(prefers-color-scheme: dark)";

/** A page that is one card. */
export function Document({ problem, isProblemBelow = false, lead, children, ...page }: DocumentProps) {
  const brand = brandOf(page);
  return (
    <Sheet {...page} problem={problem}>
      <main class="gh-card">
        <header class="gh-header">
          <BrandMark branding={brand} theme={page.theme} />
          <h1 class="gh-title">
            <Filled template={page.title} values={{ name: brandName(brand) }} />
          </h1>
          <LeadText lead={lead ?? null} />
        </header>
        {problem && !isProblemBelow ? (
          <Alert id={ALERT_ID} tone="error" title={problem.title}>
            {problem.text}
          </Alert>
        ) : null}
        {children}
        <BrandLinks branding={brand} locale={page.locale} />
        <PageFooter {...page} />
      </main>
    </Sheet>
  );
}

export function LeadText({ lead }: { lead: Lead }) {
  if (typeof lead !== "string" && !Array.isArray(lead)) return lead as VNode | null;
  const [template, values] = typeof lead === "string" ? [lead, {}] : lead;
  return (
    <p class="gh-lead">
      <Filled template={template} values={values} class="gh-account" />
    </p>
  );
}

function Banner({ text, account, csrf, action }: NonNullable<PageFrame["impersonation"]> & { text: Messages }) {
  return (
    <aside class="gh-banner" aria-label={text.impersonationLabel}>
      <p class="gh-banner-text">
        <Filled template={text.impersonationBanner} values={{ account }} class="gh-banner-account" />
      </p>
      <Form class="gh-banner-form" csrf={csrf} action={action}>
        <button class="gh-banner-button" type="submit">
          {text.impersonationEnd}
        </button>
      </Form>
    </aside>
  );
}

/** The choice of language and, in development, the link to the mailbox. */
export function PageFooter({
  locale,
  branding,
  languages = [],
  mailbox,
}: Pick<PageFrame, "locale" | "branding" | "languages" | "mailbox">) {
  if (languages.length < 2 && mailbox === undefined) return null;
  const text = messagesOf({ locale, branding });
  return (
    <footer class="gh-footer">
      {languages.length < 2 ? null : <Languages text={text} locale={locale} languages={languages} />}
      {mailbox === undefined ? null : (
        <a class="gh-link" href={mailbox}>
          {text.mailboxOpen}
        </a>
      )}
    </footer>
  );
}

/** A menu that opens without a script. */
const Languages = ({ text, locale, languages }: { text: Messages; locale: Locale; languages: readonly LanguageLink[] }) => (
  <details class="gh-languages">
    <summary class="gh-language">
      <svg viewBox="0 0 20 20" fill="none" stroke="currentColor" stroke-width="1.5" aria-hidden="true" focusable="false">
        <circle cx="10" cy="10" r="7.5" />
        <path d="M2.5 10h15M10 2.5c5 5 5 10 0 15M10 2.5c-5 5-5 10 0 15" />
      </svg>
      <span class="gh-hidden">{text.languageChoice}: </span>
      {text.languageName}
    </summary>
    <nav class="gh-language-list" aria-label={text.languageChoice}>
      {languages.map(({ locale: tag, label, href }) => (
        <a class="gh-language" href={linkTarget(href) ?? "#"} lang={tag} hreflang={tag} aria-current={tag === locale ? "true" : "false"}>
          {label}
        </a>
      ))}
    </nav>
  </details>
);

interface FormProps extends FormTarget {
  readonly class?: string;
  readonly id?: string;
  readonly label?: string | undefined;
  /** Hidden members in addition to the CSRF token. */
  readonly values?: Readonly<Record<string, string>> | undefined;
  /** True to hide the form until a script shows it. */
  readonly isHidden?: boolean;
  readonly children: ComponentChildren;
}

export const Form = ({ class: name = "gh-form", action, csrf, label, id, isHidden, values = {}, children }: FormProps) => (
  <form class={name} method="post" action={action} aria-label={label} id={id} hidden={isHidden}>
    {Object.entries({ _csrf: csrf, ...values }).map(([field, value]) => (
      <input type="hidden" name={field} value={value} />
    ))}
    {children}
  </form>
);

/** The user who signs in. */
export const AccountName = ({ name }: { name: string }) => (
  <span class="gh-account-name" dir="auto">
    {withoutBidiControls(name)}
  </span>
);

interface AlertProps {
  readonly id: string;
  readonly tone: "error" | "notice";
  readonly title?: string;
  readonly children: ComponentChildren;
}

/** A message above a form. An error takes the focus, so that keyboards and screen readers start there. */
export const Alert = ({ id, tone, title, children }: AlertProps) => (
  // Without scripts, autofocus is the only way to bring the reader to the error.
  <div class={`gh-alert gh-alert--${tone}`} {...(tone === "error" ? { role: "alert", tabIndex: -1, autofocus: true } : { role: "status" })}>
    <svg
      viewBox="0 0 20 20"
      fill="none"
      stroke="currentColor"
      stroke-width="1.75"
      stroke-linecap="round"
      aria-hidden="true"
      focusable="false"
    >
      <circle cx="10" cy="10" r="8" />
      <path d={tone === "error" ? "M10 6v4.5M10 13.75v.01" : "m6.75 10.25 2.25 2.25 4.25-4.75"} stroke-linejoin="round" />
    </svg>
    <div id={id}>
      {title ? <p class="gh-alert-title">{title}</p> : null}
      <p class="gh-alert-text">{children}</p>
    </div>
  </div>
);
