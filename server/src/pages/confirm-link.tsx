import { Submit } from "./controls.tsx";
import type { Messages } from "./messages.ts";
import { Filled } from "./text.tsx";

/** Names the account at a provider, and the account here to which it is to be linked. */
export const linkLead = (text: Messages, values: { readonly provider: string; readonly theirs: string; readonly ours: string }) => (
  <Filled template={text.linkAccountConfirmText} values={values} class="gh-account" />
);

/** Names the account at a provider that is to be linked, while its owner proves the account here. */
export const proveLead = (text: Messages, values: { readonly provider: string; readonly theirs: string }) => (
  <Filled template={text.linkNotice} values={values} class="gh-account" />
);

/** Names the new account. `isKept` says that the account which has the address keeps it. */
export const newAccountLead = (
  text: Messages,
  { provider, address, isKept }: { readonly provider: string; readonly address: string; readonly isKept: boolean },
) => (
  <>
    <Filled template={text.newAccountText} values={{ provider }} class="gh-account" />
    {isKept ? (
      <>
        {" "}
        <Filled template={text.newAccountAddressText} values={{ address }} class="gh-account" />
      </>
    ) : null}
  </>
);

export const ConfirmNewAccount = ({ text }: { text: Messages }) => (
  <Submit name="newAccount" value="yes">
    {text.newAccountConfirm}
  </Submit>
);

export const ConfirmLink = ({ text }: { text: Messages }) => (
  <>
    <Submit name="link" value="yes">
      {text.linkAccountConfirm}
    </Submit>
    <Submit look="plain" name="link" value="no">
      {text.cancel}
    </Submit>
  </>
);
