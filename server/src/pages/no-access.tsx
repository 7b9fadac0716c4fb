import { Decision } from "./consent.tsx";
import { Document, type FormTarget, type PageFrame, renderDocument } from "./layout.tsx";
import { messagesOf } from "./messages.ts";

interface NoAccessView extends PageFrame {
  readonly client: string;
  readonly account: string;
  /** The form that leads back to the application, or to another account. Without it the page is the end. */
  readonly form?: FormTarget | undefined;
  /** Present if the request began here and no application waits for an answer: the same request with another account. */
  readonly otherAccountUrl?: string | undefined;
}

/** Renders the page for a user who is signed in, but may not use the application. */
export function renderNoAccess({ client, account, form, otherAccountUrl, ...view }: NoAccessView): string {
  const text = messagesOf(view);
  return renderDocument(
    <Document {...view} kind="message" title={text.noAccessTitle} lead={[text.noAccessText, { client, account }]}>
      {form ? (
        <Decision view={form} label={text.noAccessTitle} answers={{ back: text.backToApplication, other: text.chooseOther }} />
      ) : null}
      {otherAccountUrl !== undefined ? (
        <a class="gh-button gh-button--primary" id="other" href={otherAccountUrl}>
          {text.chooseOther}
        </a>
      ) : null}
    </Document>,
  );
}
