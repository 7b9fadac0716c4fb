/*
 * The style sheet of every page, which comes before a realm's colours and its customCss.
 *
 * These class names are for customCss. They keep their meaning in later releases; other names may change.
 */
export const CLASS_NAMES = {
  "gh-page": "The whole page (body)",
  "gh-page--login": "The page, when it is the sign-in page",
  "gh-page--logout": "The page, when it is about signing out",
  "gh-page--invitation": "The page, when it is about an invitation",
  "gh-page--consent": "The page, when it asks what an application may have",
  "gh-consent": "The list of what the application wants",
  "gh-page--device": "The page, when it is about a device or an application that waits elsewhere",
  "gh-code": "The code that the device shows",
  "gh-number": "A number that two screens show",
  "gh-facts": "What is known of a screen that waits, or of what is to be signed",
  "gh-fact": "One line of it",
  "gh-summary": "What is to be signed, in the application's words",
  "gh-requests": "The list of applications that wait",
  "gh-request": "One of them",
  "gh-participants": "The list of applications that one is being signed out of",
  "gh-participant": "One of them",
  "gh-page--message": "The page, when it only says something (an error, for instance)",
  "gh-page--impersonated": "The page, while an administrator acts as a user",
  "gh-banner": "The box above the card that says so",
  "gh-banner-text": "Its text",
  "gh-banner-account": "The name of whom they act as",
  "gh-banner-form": "The form around its button",
  "gh-banner-button": "The button that ends it",
  "gh-card": "The card in the middle",
  "gh-header": "Logo, title and welcome text together",
  "gh-brand": "The box around the logo or the letter",
  "gh-logo": "The logo image",
  "gh-logo--own": "The logo, where the dark scheme has one of its own",
  "gh-monogram": "The letter shown when there is no logo",
  "gh-application": "The box around the logo of the application that people sign in to",
  "gh-application-logo": "That logo",
  "gh-title": "The heading",
  "gh-lead": "The text below the heading, such as the welcome text",
  "gh-form": "A form",
  "gh-field": "One field: its label and its input",
  "gh-label": "The label of a field",
  "gh-hint": "What to know about a field, below it",
  "gh-error": "Why what was typed into a field is refused, below it",
  "gh-input": "A text or password input",
  "gh-control": "The box around an input",
  "gh-control--shown": "The box around a password that can be shown",
  "gh-show": "The button that shows the password",
  "gh-check": "A checkbox with its label",
  "gh-button": "A button, or a link that looks like one",
  "gh-button--primary": "The main button, in the brand's colour",
  "gh-button--plain": "Every other button, outlined",
  "gh-actions": "Buttons below each other, outside a form",
  "gh-alert": "A message box above the form",
  "gh-alert--error": "A message box that reports a problem",
  "gh-alert--notice": "A message box that confirms something",
  "gh-alert-title": "The first line of a message box",
  "gh-alert-text": "The rest of a message box",
  "gh-account": "The name of the signed-in user",
  "gh-account-line": "The line that says whose sign-in it is",
  "gh-account-name": "The name in it",
  "gh-others": "The other ways to sign in",
  "gh-others-title": "Their heading",
  "gh-other": "The form of one of them",
  "gh-providers": "The list of identity providers to sign in at",
  "gh-providers--many": "The same where there are five or more",
  "gh-provider": "The link to one of them",
  "gh-provider-logo": "Its logo",
  "gh-provider-mark": "The mark that stands in for a missing logo",
  "gh-provider-name": "Its name, with what is to be known of it",
  "gh-provider-note": "That it was used last, or does not answer",
  "gh-other-way": "The form of another way, below the main button",
  "gh-passkey": "What is there to use or to set up a passkey",
  "gh-beside": "The form of another way that needs no separate page",
  "gh-link": "A button or link inside a line of text",
  "gh-hidden": "What is there for password managers only",
  "gh-qr": "The picture for a camera",
  "gh-setup": "The set-up of an authenticator app: in two columns where there is room",
  "gh-setup-key": "The first of them, with the picture and the key",
  "gh-key": "What the picture says, for typing",
  "gh-codes": "The list of recovery codes",
  "gh-tools": "What can be done with them: copy, download, print",
  "gh-reference": "The request number on an error page",
  "gh-way-back": "The way back to the application or the account, where somebody who is signed in is asked for more",
  "gh-links": "Links to what the application says about itself",
  "gh-terms": "The realm's terms, to be read before they are accepted",
  "gh-brand-links": "The links to the realm's terms and privacy statement",
  "gh-brand-link": "One of them",
  "gh-footer": "The foot of the card",
  "gh-languages": "The choice of language",
  "gh-language-list": "The languages to choose from",
  "gh-language": "One language",
  "gh-rules": "The rules for a new password",
  "gh-rule": "One of them",
  "gh-mail": "The text of a mail, in the mailbox of a development server",
} as const;

export const STYLESHEET = `
*, *::before, *::after { box-sizing: border-box; }

html {
  color-scheme: light dark;
  -webkit-text-size-adjust: 100%;
  text-size-adjust: 100%;
}
html[data-theme="light"] { color-scheme: light; }
html[data-theme="dark"] { color-scheme: dark; }

.gh-page {
  min-block-size: 100vh;
  min-block-size: 100dvh;
  margin: 0;
  padding: .75rem 1rem;
  display: grid;
  grid-template-columns: minmax(0, 26rem);
  align-content: center;
  justify-content: center;
  background: var(--gh-page) var(--gh-backdrop);
  color: var(--gh-text);
  font: 400 1rem/1.5 var(--gh-font);
  -webkit-font-smoothing: antialiased;
  overflow-wrap: anywhere;
}

.gh-card {
  padding: 1.25rem 2.25rem .75rem;
  background: var(--gh-card);
  border: 1px solid var(--gh-line);
  border-radius: 1.25rem;
  box-shadow: 0 1px 2px rgb(16 24 40 / 5%), 0 12px 32px -8px rgb(16 24 40 / 14%);
}

/* The colours of the text, inverted: the banner is conspicuous in every brand and scheme. */
.gh-banner {
  display: flex;
  flex-wrap: wrap;
  align-items: center;
  gap: .75rem 1rem;
  margin-block-end: 1rem;
  padding: .875rem 1.25rem;
  border: 1px solid transparent;
  border-radius: 1rem;
  background: var(--gh-text);
  color: var(--gh-card);
  font-size: .9375rem;
}
.gh-banner-text { flex: 1 1 14rem; margin: 0; }
.gh-banner-account { font-weight: 700; }
.gh-banner-form { margin: 0; }
.gh-banner-button {
  min-block-size: 2.5rem;
  padding: .375rem 1rem;
  border: 1px solid var(--gh-card);
  border-radius: .625rem;
  background: var(--gh-card);
  color: var(--gh-text);
  font: inherit;
  font-weight: 600;
  cursor: pointer;
}
.gh-banner-button:focus-visible { outline: 3px solid var(--gh-card); outline-offset: 2px; }

.gh-header { margin-block-end: 1rem; text-align: center; }
.gh-header:last-child { margin-block-end: .75rem; }
.gh-brand { display: flex; justify-content: center; margin-block-end: .5rem; }
.gh-logo { display: block; max-inline-size: min(100%, 14rem); max-block-size: 4rem; object-fit: contain; border-radius: .5rem; }

.gh-application { display: flex; justify-content: center; margin: .75rem 0; }
.gh-application-logo { display: block; max-inline-size: min(100%, 10rem); max-block-size: 3rem; object-fit: contain; border-radius: .5rem; }

.gh-monogram {
  inline-size: 2.75rem;
  block-size: 2.75rem;
  display: grid;
  place-items: center;
  border: 1px solid var(--gh-button-line);
  border-radius: 1rem;
  background: var(--gh-button);
  color: var(--gh-button-text);
  font-size: 1.5rem;
  font-weight: 700;
  line-height: 1;
}

.gh-title { margin: 0; font-size: 1.5rem; font-weight: 700; line-height: 1.25; letter-spacing: -.015em; text-wrap: balance; }
.gh-lead { margin: .25rem 0 0; color: var(--gh-muted); white-space: pre-line; text-wrap: pretty; }
.gh-account { color: var(--gh-text); font-weight: 600; }

.gh-form, .gh-actions { display: grid; gap: .75rem; margin: 0; }
.gh-actions { gap: .75rem; }
.gh-form + .gh-actions, .gh-actions + .gh-form, .gh-actions + .gh-actions, .gh-hint + .gh-form { margin-block-start: .75rem; }
.gh-field { display: grid; gap: .375rem; }
.gh-label { margin: 0; font-size: .9375rem; font-weight: 600; }
.gh-hint { margin: 0; color: var(--gh-muted); font-size: .875rem; }
.gh-rules { display: grid; gap: .125rem; margin: 0; padding: 0; color: var(--gh-muted); font-size: .875rem; list-style: none; }
.gh-rule[data-met] { color: var(--gh-notice); }
.gh-rule[data-met]::before { content: "✓ "; }
.gh-error { margin: 0; color: var(--gh-error); font-size: .875rem; font-weight: 600; }

.gh-input {
  inline-size: 100%;
  min-block-size: 2.75rem;
  padding: .625rem .875rem;
  border: 1px solid var(--gh-field-line);
  border-radius: .625rem;
  background: var(--gh-field);
  color: var(--gh-text);
  font: inherit;
}
.gh-control { position: relative; display: grid; }
.gh-control--shown .gh-input { padding-inline-end: 5.5rem; }
.gh-show {
  position: absolute;
  inset-block: .375rem;
  inset-inline-end: .375rem;
  padding: 0 .625rem;
  border: 0;
  border-radius: .5rem;
  background: transparent;
  color: var(--gh-accent);
  font: inherit;
  font-size: .875rem;
  font-weight: 600;
  cursor: pointer;
}
.gh-show[aria-pressed="true"] { background: var(--gh-page); }
.gh-input[aria-invalid="true"] { border-color: var(--gh-error-line); }
.gh-input:autofill { -webkit-text-fill-color: var(--gh-text); box-shadow: inset 0 0 0 6rem var(--gh-field); caret-color: var(--gh-text); }

.gh-check { display: flex; align-items: flex-start; gap: .625rem; min-block-size: 1.75rem; font-size: .9375rem; cursor: pointer; }
.gh-check input { flex: none; inline-size: 1.125rem; block-size: 1.125rem; margin: .14rem 0 0; accent-color: var(--gh-accent); cursor: inherit; }

.gh-button {
  inline-size: 100%;
  min-block-size: 2.75rem;
  padding: .625rem 1.25rem;
  display: inline-flex;
  align-items: center;
  justify-content: center;
  border: 1px solid transparent;
  border-radius: .625rem;
  font: inherit;
  font-weight: 600;
  text-align: center;
  text-decoration: none;
  cursor: pointer;
}
.gh-button--primary { background: var(--gh-button); border-color: var(--gh-button-line); color: var(--gh-button-text); }
.gh-button--primary:hover { background: var(--gh-button-hover); }
.gh-button--plain { background: transparent; border-color: var(--gh-field-line); color: var(--gh-text); }
.gh-button--plain:hover { border-color: var(--gh-accent); color: var(--gh-accent); }
.gh-button:active { transform: translateY(1px); }

.gh-input:focus-visible, .gh-button:focus-visible, .gh-check input:focus-visible, .gh-language:focus-visible, .gh-links a:focus-visible, .gh-link:focus-visible, .gh-show:focus-visible, .gh-alert:focus {
  outline: 3px solid var(--gh-accent);
  outline-offset: 2px;
}
.gh-input:focus-visible { outline-offset: -1px; }
.gh-language:focus-visible, .gh-links a:focus-visible { border-radius: .25rem; }

.gh-alert {
  display: grid;
  grid-template-columns: auto minmax(0, 1fr);
  gap: .75rem;
  margin-block-end: 1.5rem;
  padding: .875rem 1rem;
  border: 1px solid;
  border-radius: .75rem;
  font-size: .9375rem;
}
.gh-alert--error { background: var(--gh-error-surface); border-color: var(--gh-error-line); color: var(--gh-error); }
.gh-alert--notice { background: var(--gh-notice-surface); border-color: var(--gh-notice-line); color: var(--gh-notice); }
.gh-alert svg { inline-size: 1.25rem; block-size: 1.25rem; margin-block-start: .125rem; }
.gh-alert-title, .gh-alert-text { margin: 0; }
.gh-alert-title { font-weight: 600; }

.gh-code { font-family: ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; letter-spacing: .08em; }
.gh-input.gh-code { font-size: 1.25rem; text-align: center; text-transform: uppercase; }
p.gh-code { margin: 0 0 1.5rem; color: var(--gh-text); font-size: 1.5rem; font-weight: 700; text-align: center; }
.gh-qr { display: block; inline-size: 13rem; max-inline-size: 100%; margin-inline: auto; border-radius: .5rem; }
.gh-setup, .gh-setup-key { display: grid; gap: .75rem; }
.gh-setup-key { align-content: start; text-align: center; }
.gh-setup-key p { margin: 0; }
.gh-setup .gh-form { align-content: start; }
@media (min-width: 52rem) {
  .gh-page:has(.gh-setup) { grid-template-columns: minmax(0, 48rem); }
  .gh-setup { grid-template-columns: 17rem 1fr; gap: 2rem; }
  /* On a card, other ways and the way back are below the form, where the column beside the picture has room for them. */
  .gh-card:has(.gh-setup) { display: grid; grid-template-columns: 17rem minmax(0, 1fr); column-gap: 2rem; }
  .gh-card:has(.gh-setup) > * { grid-column: 1 / -1; margin-block-end: .5rem; }
  .gh-card > form:has(> .gh-setup), .gh-card .gh-setup { display: contents; }
  .gh-card .gh-setup-key { grid-column: 1; grid-row: span 20; }
  .gh-card:has(.gh-setup) :is(.gh-setup > .gh-form, .gh-others, .gh-way-back) { grid-column: 2; }
  .gh-card:has(.gh-setup) :is(.gh-others, .gh-way-back, .gh-footer) { margin-block: .5rem 0; }
}
p.gh-key { margin: 0; font-size: 1.125rem; overflow-wrap: anywhere; user-select: all; }
.gh-codes { display: grid; grid-template-columns: repeat(auto-fill, minmax(9rem, 1fr)); gap: .5rem 1rem; margin: 0; padding: 1rem; border: 1px solid var(--gh-line); border-radius: .75rem; list-style: none; text-align: center; }
.gh-tools { display: flex; flex-wrap: wrap; justify-content: center; gap: .25rem 1.25rem; }
p.gh-number { font-size: 2.5rem; margin: 0; line-height: 1.2; }
.gh-facts { display: grid; gap: .5rem; margin: 0 0 1.5rem; font-size: .9375rem; }
.gh-fact dt { color: var(--gh-muted); font-size: .875rem; }
.gh-fact dd { margin: 0; }
.gh-form + .gh-form { margin-block-start: 1.125rem; }
.gh-form .gh-hint, .gh-facts + .gh-hint { text-align: center; }
.gh-form .gh-input + .gh-hint { text-align: start; }
.gh-form + .gh-hint { margin-block-start: 1.125rem; text-align: center; }
.gh-number + .gh-form { margin-block: 1.5rem; }
.gh-summary { margin: 0 0 1.5rem; padding: 1rem; border: 1px solid var(--gh-line); border-radius: .75rem; font-weight: 600; white-space: pre-line; }
.gh-participants { display: grid; gap: .75rem; margin: 0 0 1.5rem; padding: 0; list-style: none; }
.gh-participant { padding: .75rem 1rem; border: 1px solid var(--gh-line); border-radius: .75rem; overflow-wrap: anywhere; }
.gh-participant span { color: var(--gh-muted); }
.gh-requests { display: grid; gap: .75rem; margin: 0; padding: 0; list-style: none; }
.gh-request { display: grid; gap: .5rem; padding: 1rem; border: 1px solid var(--gh-line); border-radius: .75rem; }

.gh-consent { margin: 0 0 1.5rem; padding-inline-start: 1.25rem; display: grid; gap: .5rem; }

.gh-reference { margin: 1.5rem 0 0; color: var(--gh-muted); font-size: .875rem; text-align: center; }
.gh-reference code { display: block; font-family: ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: .8125rem; user-select: all; }

.gh-account-line { display: flex; align-items: center; justify-content: center; gap: .5rem .75rem; flex-wrap: wrap; margin: 0 0 1.25rem; font-size: .9375rem; }
.gh-account-name { padding: .25rem .75rem; border: 1px solid var(--gh-line); border-radius: 999px; overflow-wrap: anywhere; }
.gh-link { padding: .25rem 0; border: 0; background: none; color: var(--gh-accent); font: inherit; text-decoration: underline; text-underline-offset: .2em; cursor: pointer; }
.gh-others { margin: 1rem 0 0; padding-block-start: .75rem; border-block-start: 1px solid var(--gh-line); display: grid; gap: .5rem; }
.gh-others-title { margin: 0; text-align: center; font-size: .875rem; color: var(--gh-muted); }
.gh-other { display: grid; }
.gh-providers { display: grid; gap: 0.5rem; list-style: none; margin: 0; padding: 0; }
.gh-providers li { display: grid; }
.gh-providers--many { grid-template-columns: repeat(auto-fill, minmax(9.5rem, 1fr)); }
.gh-providers--many .gh-provider { padding-inline: .75rem; }
.gh-provider { display: flex; align-items: center; justify-content: flex-start; gap: .75rem; text-align: start; }
.gh-provider-logo, .gh-provider-mark { flex: none; inline-size: 1.5rem; block-size: 1.5rem; }
.gh-provider-logo { object-fit: contain; border-radius: .25rem; }
.gh-provider-name { display: flex; flex: 1; flex-wrap: wrap; align-items: baseline; justify-content: space-between; gap: 0 .75rem; min-inline-size: 0; overflow-wrap: anywhere; }
.gh-provider-note { color: var(--gh-muted); font-size: .8125rem; font-weight: 400; }
.gh-other-way { margin-block-start: .75rem; }
.gh-beside { margin-block-start: .75rem; }
.gh-passkey { display: grid; gap: .75rem; }
.gh-passkey .gh-hint { text-align: center; }
[hidden] { display: none !important; }
.gh-hidden { position: absolute; inline-size: 1px; block-size: 1px; overflow: hidden; clip-path: inset(50%); border: 0; padding: 0; }
.gh-links { display: flex; flex-wrap: wrap; justify-content: center; gap: .25rem 1.25rem; margin: 1rem 0 0; font-size: .9375rem; }
.gh-way-back { margin: 1rem 0 0; text-align: center; font-size: .9375rem; }
.gh-form .gh-links { margin: 0; }
.gh-links a { padding-block: .25rem; color: var(--gh-accent); text-underline-offset: .2em; }

.gh-terms { max-block-size: 18rem; overflow: auto; padding: .75rem 1rem; border: 1px solid var(--gh-line); border-radius: .5rem; font-size: .9375rem; white-space: pre-wrap; overflow-wrap: anywhere; }

.gh-brand-links { display: flex; flex-wrap: wrap; justify-content: center; gap: .25rem 1.25rem; margin: 1.5rem 0 0; font-size: .875rem; }
.gh-brand-link { padding-block: .25rem; color: var(--gh-muted); text-underline-offset: .2em; }
.gh-brand-link:hover { color: var(--gh-accent); }
.gh-brand-link:focus-visible { outline: 3px solid var(--gh-accent); outline-offset: 2px; border-radius: .25rem; }
.gh-brand-links + .gh-footer { margin-block-start: 1rem; }
.gh-footer { display: flex; flex-wrap: wrap; align-items: flex-start; justify-content: space-between; gap: .25rem 1.25rem; margin-block-start: 1.25rem; padding-block-start: .75rem; border-block-start: 1px solid var(--gh-line); font-size: .9375rem; }
.gh-mail { margin: 0; white-space: pre-wrap; overflow-wrap: anywhere; }
.gh-languages { font-size: .9375rem; }
.gh-languages summary { display: flex; align-items: center; gap: .5rem; min-block-size: 1.75rem; cursor: pointer; list-style: none; }
.gh-languages summary::-webkit-details-marker { display: none; }
.gh-languages summary::after { content: ""; inline-size: .375rem; block-size: .375rem; border: solid currentcolor; border-width: 0 1.5px 1.5px 0; transform: translateY(-.125rem) rotate(45deg); }
.gh-languages svg { inline-size: 1.125rem; block-size: 1.125rem; }
.gh-language-list { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; margin-block-start: .5rem; }
.gh-language { padding-block: .25rem; color: var(--gh-muted); text-decoration: none; }
.gh-language:hover { color: var(--gh-accent); text-decoration: underline; text-underline-offset: .2em; }
.gh-language[aria-current="true"] { color: var(--gh-text); font-weight: 600; }

@media (max-width: 30rem) {
  .gh-page { padding: 0; grid-template-columns: minmax(0, 1fr); align-content: stretch; }
  .gh-page--impersonated { grid-template-rows: auto minmax(0, 1fr); }
  .gh-banner { margin: 0; border-radius: 0; }
  .gh-card { padding: 3rem 1.5rem 1.5rem; display: flex; flex-direction: column; border: 0; border-radius: 0; box-shadow: none; }
  .gh-footer { margin-block-start: auto; }
  .gh-footer { border: 0; padding-block-start: 2rem; }
}

@media (prefers-color-scheme: dark) {
  html:not([data-theme="light"]) .gh-card { box-shadow: 0 16px 40px -8px rgb(0 0 0 / 60%); }
  /* Logos are designed for the white card. On the dark one they have a white plate, because dark letters would be invisible. */
  html:not([data-theme="light"]) :is(.gh-logo:not(.gh-logo--own), .gh-application-logo) { padding: .5rem .75rem; background: #fff; }
  html:not([data-theme="light"]) .gh-provider-logo { padding: .125rem; background: #fff; }
}
html[data-theme="dark"] .gh-card { box-shadow: 0 16px 40px -8px rgb(0 0 0 / 60%); }
html[data-theme="dark"] :is(.gh-logo:not(.gh-logo--own), .gh-application-logo) { padding: .5rem .75rem; background: #fff; }
html[data-theme="dark"] .gh-provider-logo { padding: .125rem; background: #fff; }

@media (prefers-contrast: more) {
  .gh-card, .gh-footer, .gh-input, .gh-button--plain { border-color: currentcolor; }
  .gh-lead, .gh-hint, .gh-language, .gh-reference { color: var(--gh-text); }
}

@media (forced-colors: active) {
  .gh-monogram, .gh-button, .gh-banner, .gh-banner-button { border-color: ButtonText; }
  .gh-input:focus-visible, .gh-button:focus-visible, .gh-alert:focus, .gh-language:focus-visible, .gh-links a:focus-visible, .gh-banner-button:focus-visible { outline-color: Highlight; }
}

@media (prefers-reduced-motion: no-preference) {
  .gh-input, .gh-button, .gh-language { transition: background-color .15s, border-color .15s, color .15s; }
}

/* Recovery codes are printed without buttons. */
@media print {
  .gh-page { min-block-size: 0; background: none; }
  .gh-card { box-shadow: none; }
  .gh-button, .gh-link, .gh-footer { display: none; }
}
`;
