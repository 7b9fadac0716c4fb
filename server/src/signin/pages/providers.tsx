import type { Messages } from "./messages.ts";
import { withoutBidiControls } from "./text.tsx";

/** Another place to sign in at. */
export interface ShownLink {
  readonly href: string;
  readonly label: string;
  readonly protocol: string;
}

/** Links, not buttons of a form: browsers apply `form-action` to where a form is redirected, and a link needs no such permission. */
export const ProviderLinks = ({ text, links }: { text: Messages; links: readonly ShownLink[] }) => (
  <ul class="gh-providers">
    {links.map(({ href, label, protocol }) => (
      <li>
        <a class="gh-button gh-button--plain" href={href} rel="nofollow" data-protocol={protocol}>
          {text.continueWith.replace("{provider}", () => withoutBidiControls(label))}
        </a>
      </li>
    ))}
  </ul>
);
