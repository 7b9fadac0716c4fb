import { Document, type PageFrame, renderDocument } from "./layout.tsx";
import { messagesOf } from "./messages.ts";
import { withoutBidiControls } from "./text.tsx";

interface ShownMail {
  readonly id: string;
  readonly to: string;
  readonly subject: string | null;
  readonly text: string;
  readonly at: number;
}

interface MailboxView extends PageFrame {
  readonly mails: readonly ShownMail[];
  /** The origin whose addresses are shown as links. */
  readonly ownOrigin: string;
}

/** Renders the mail of a development server, the latest first. */
export function renderMailbox(view: MailboxView): string {
  const text = messagesOf(view);
  const time = new Intl.DateTimeFormat(view.locale, { timeStyle: "medium" });
  return renderDocument(
    <Document {...view} kind="message" title={text.mailboxTitle} lead={text.mailboxText}>
      {view.mails.length === 0 ? <p class="gh-lead">{text.mailboxEmpty}</p> : null}
      <ul class="gh-requests">
        {view.mails.map(({ id, to, subject, text: body, at }) => (
          <li class="gh-request" key={id}>
            <p class="gh-hint">
              <bdi>{withoutBidiControls(to)}</bdi> · <time dateTime={new Date(at).toISOString()}>{time.format(at)}</time>
            </p>
            <p class="gh-label">{withoutBidiControls(subject ?? "")}</p>
            <p class="gh-mail" dir="auto">
              {linked(withoutBidiControls(body), view.ownOrigin)}
            </p>
          </li>
        ))}
      </ul>
    </Document>,
  );
}

/** Returns the text with links to our own pages. The rest is unchanged. */
const linked = (body: string, origin: string) =>
  body.split(/(https?:\/\/[^\s<>"]+)/).map((part) =>
    URL.canParse(part) && new URL(part).origin === origin ? (
      <a class="gh-link" href={part}>
        {part}
      </a>
    ) : (
      part
    ),
  );
