import type { Messages } from "./messages.ts";
import { Filled } from "./text.tsx";

/** Which account at a provider is linked to which here. */
export const linkLead = (text: Messages, values: { readonly provider: string; readonly theirs: string; readonly ours: string }) => (
  <Filled template={text.linkAccountConfirmText} values={values} class="gh-account" />
);

export const ConfirmLink = ({ text }: { text: Messages }) => (
  <>
    <button class="gh-button gh-button--primary" type="submit" name="link" value="yes">
      {text.linkAccountConfirm}
    </button>
    <button class="gh-button gh-button--plain" type="submit" name="link" value="no">
      {text.cancel}
    </button>
  </>
);
