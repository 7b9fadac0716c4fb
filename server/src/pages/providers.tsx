import { logoOf } from "./branding.ts";
import { Field, loginName, Submit } from "./controls.tsx";
import type { Messages } from "./messages.ts";
import { genericMark, type Shape } from "./provider-marks.ts";
import { withoutBidiControls } from "./text.tsx";

/** A link to an identity provider. */
export interface ShownLink {
  readonly href: string;
  readonly label: string;
  readonly protocol: string;
  /** The mark of the provider. The default is a key. */
  readonly mark?: readonly Shape[] | undefined;
  readonly logoUrl?: string | null;
  /** True if this browser used it last. */
  readonly isLastUsed?: boolean;
  /** True if the provider did not answer recently. */
  readonly isDown?: boolean;
}

/** From this number on, the links are in a grid and show only names. */
const MANY = 5;

/** The text "Continue with Acme". In a grid only the name is visible, but screen readers read the whole text. */
const Name = ({ text, label, isShort }: { text: Messages; label: string; isShort: boolean }) => {
  const [before = "", after = ""] = text.continueWith.split("{provider}");
  const around = (words: string) => (isShort && words ? <span class="gh-hidden">{words}</span> : words);
  return (
    <>
      {around(before)}
      {label}
      {around(after)}
    </>
  );
};

/** These are links and not buttons of a form: browsers apply `form-action` to redirects of a form, and a link needs no such permission. */
export const ProviderLinks = ({ text, links }: { text: Messages; links: readonly ShownLink[] }) =>
  links.length === 0 ? null : (
    <ul class={links.length < MANY ? "gh-providers" : "gh-providers gh-providers--many"}>
      {links.map((link) => (
        <li>
          <a class="gh-button gh-button--plain gh-provider" href={link.href} rel="nofollow" data-protocol={link.protocol}>
            <Mark {...link} />
            <span class="gh-provider-name">
              <Name text={text} label={withoutBidiControls(link.label)} isShort={links.length >= MANY} />
              <Note text={noteOf(text, link)} />
            </span>
          </a>
        </li>
      ))}
    </ul>
  );

const noteOf = (text: Messages, { isDown, isLastUsed }: ShownLink): string | null =>
  isDown ? text.providerDown : isLastUsed ? text.lastUsed : null;

/** A note that screen readers read after the name, as a word of its own. */
const Note = ({ text }: { text: string | null }) =>
  text === null ? null : (
    <>
      <span class="gh-hidden">: </span>
      <span class="gh-provider-note">{text}</span>
    </>
  );

/** The provider's own logo, or a mark of its kind. The name is beside it, so it has no text. */
function Mark({ mark = genericMark, logoUrl }: ShownLink) {
  const logo = logoOf(logoUrl);
  if (logo) return <img class="gh-provider-logo" src={logo.src} alt="" width="24" height="24" referrerpolicy="no-referrer" />;
  return (
    <svg class="gh-provider-mark" viewBox="0 0 24 24" width="24" height="24" aria-hidden="true" focusable="false">
      {mark.map(({ d, fill = "currentColor" }) => (
        <path d={d} fill={fill} />
      ))}
    </svg>
  );
}

/** The search for a provider. It is shown if there are more providers than a page can show, or if domains lead to them. */
export const FindProvider = ({ text, value, quiet }: { text: Messages; value: string; quiet: boolean }) => (
  <>
    <input type="hidden" name="find" value="true" />
    <Field id="provider" label={text.providerSearch} {...loginName} value={value} autocomplete="email" maxlength={320} autofocus={!quiet} />
    <Submit id="find">{text.next}</Submit>
  </>
);
