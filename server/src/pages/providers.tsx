import { logoOf } from "./branding.ts";
import { Field, loginName, Submit } from "./controls.tsx";
import type { Messages } from "./messages.ts";
import { genericMark, type Shape } from "./provider-marks.ts";
import { withoutBidiControls } from "./text.tsx";

/** Another place to sign in at. */
export interface ShownLink {
  readonly href: string;
  readonly label: string;
  readonly protocol: string;
  /** Left out: a key. */
  readonly mark?: readonly Shape[] | undefined;
  readonly logoUrl?: string | null;
  /** By this browser. */
  readonly isLastUsed?: boolean;
  /** It did not answer lately. */
  readonly isDown?: boolean;
}

/** From so many on they stand in a grid, by their names alone. */
const MANY = 5;

/** "Continue with Acme". In a grid the name alone is seen, and the whole is read out. */
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

/** Links, not buttons of a form: browsers apply `form-action` to where a form is redirected, and a link needs no such permission. */
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

/** Read out after the name, as a word of its own. */
const Note = ({ text }: { text: string | null }) =>
  text === null ? null : (
    <>
      <span class="gh-hidden">: </span>
      <span class="gh-provider-note">{text}</span>
    </>
  );

/** The provider's own logo, or a mark of its kind. The name stands beside it. */
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

/** Shown if there are more providers than a page can show, or if domains lead to them. */
export const FindProvider = ({ text, value, quiet }: { text: Messages; value: string; quiet: boolean }) => (
  <>
    <input type="hidden" name="find" value="true" />
    <Field id="provider" label={text.providerSearch} {...loginName} value={value} autocomplete="email" maxlength={320} autofocus={!quiet} />
    <Submit id="find">{text.next}</Submit>
  </>
);
