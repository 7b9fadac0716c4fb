import { Document, HiddenInputs, type PageFrame, renderDocument } from "./layout.tsx";
import { messagesOf } from "./messages.ts";
import { Filled } from "./text.tsx";

export interface NoAccessView extends PageFrame {
  readonly client: string;
  readonly account: string;
  /** Back to the application, or on with another account. Without it the page is the end. */
  readonly form?: { readonly csrf: string; readonly action: string } | undefined;
  /** Where the request began here, and no application waits for an answer: the same again, with another account. */
  readonly otherAccountUrl?: string | undefined;
}

/** The user is signed in, and is not among those who may use the application. */
export function renderNoAccess({ client, account, form, otherAccountUrl, ...view }: NoAccessView): string {
  const text = messagesOf(view.locale);
  return renderDocument(
    <Document
      {...view}
      kind="message"
      title={text.noAccessTitle}
      lead={
        <p class="gh-lead">
          <Filled template={text.noAccessText} values={{ client, account }} class="gh-account" />
        </p>
      }
    >
      {form ? (
        <form class="gh-form" method="post" action={form.action} aria-label={text.noAccessTitle}>
          <HiddenInputs csrf={form.csrf} />
          <button class="gh-button gh-button--primary" type="submit" id="back" name="decision" value="back">
            {text.backToApplication}
          </button>
          <button class="gh-button gh-button--plain" type="submit" id="other" name="decision" value="other">
            {text.chooseOther}
          </button>
        </form>
      ) : null}
      {otherAccountUrl !== undefined ? (
        <a class="gh-button gh-button--primary" id="other" href={otherAccountUrl}>
          {text.chooseOther}
        </a>
      ) : null}
    </Document>,
  );
}
