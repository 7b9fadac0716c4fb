import { LinkButton, Submit } from "./controls.tsx";
import { AccountName, Document, Form, type FormTarget, type PageFrame, renderDocument } from "./layout.tsx";
import { messagesOf } from "./messages.ts";
import { filledText } from "./text.tsx";

interface DepartureView extends PageFrame, FormTarget {
  /** Hidden members of the form. */
  readonly hidden: Readonly<Record<string, string>>;
  /** Our own address that leads to the provider. */
  readonly href: string;
  readonly provider: string;
  /** The name that was typed, or null. */
  readonly login: string | null;
  /** The path of another way to sign in, or null. */
  readonly other: string | null;
}

/**
 * Renders the page on the way to the identity provider to which the typed name leads. Browsers continue by themselves; the links are for people who come back.
 */
export function renderDeparture({ csrf, action, ...view }: DepartureView): string {
  const text = messagesOf(view);
  return renderDocument(
    <Document {...view} kind="login" title={filledText(text.departureTitle, { provider: view.provider })} lead={text.departureText}>
      {view.login === null ? null : (
        <p class="gh-account-line">
          <AccountName name={view.login} />
        </p>
      )}
      <LinkButton href={view.href}>{text.continue}</LinkButton>
      {view.other === null ? null : (
        <Form
          class="gh-form gh-other-way"
          csrf={csrf}
          action={action}
          label={text.departureOther}
          values={{ ...view.hidden, choose: view.other }}
        >
          <Submit look="plain">{text.departureOther}</Submit>
        </Form>
      )}
    </Document>,
  );
}
