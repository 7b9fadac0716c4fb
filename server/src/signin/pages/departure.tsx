import { LinkButton } from "./controls.tsx";
import { Document, HiddenInputs, type PageFrame, renderDocument } from "./layout.tsx";
import { messagesOf } from "./messages.ts";
import { filledText, Isolated } from "./text.tsx";

export interface DepartureView extends PageFrame {
  readonly csrf: string;
  readonly action: string;
  /** What the form carries along. */
  readonly hidden: Readonly<Record<string, string>>;
  /** Our own address that leads to the provider. */
  readonly href: string;
  readonly provider: string;
  /** What was typed; null where it was no name. */
  readonly login: string | null;
  /** The path of another way to sign in; null where there is none. */
  readonly other: string | null;
}

/** On the way to the identity provider that the typed name leads to. Browsers go on by themselves; the links are for those who come back. */
export function renderDeparture(view: DepartureView): string {
  const text = messagesOf(view.locale);
  return renderDocument(
    <Document
      branding={view.branding}
      locale={view.locale}
      {...(view.languages && { languages: view.languages })}
      kind="login"
      title={filledText(text.departureTitle, { provider: view.provider })}
      lead={<p class="gh-lead">{text.departureText}</p>}
    >
      {view.login === null ? null : (
        <p class="gh-account-line">
          <span class="gh-account-name" dir="auto">
            <Isolated text={view.login} />
          </span>
        </p>
      )}
      <LinkButton href={view.href}>{text.continue}</LinkButton>
      {view.other === null ? null : (
        <form class="gh-form gh-other-way" method="post" action={view.action} aria-label={text.departureOther}>
          <HiddenInputs csrf={view.csrf} values={{ ...view.hidden, choose: view.other }} />
          <button class="gh-button gh-button--plain" type="submit">
            {text.departureOther}
          </button>
        </form>
      )}
    </Document>,
  );
}
