import { LinkButton } from "./controls.tsx";
import { Document, type PageFrame, renderDocument } from "./layout.tsx";
import { messagesOf } from "./messages.ts";

interface LeavingView extends PageFrame {
  readonly to: URL;
}

/** Renders the page on the way to another site. Browsers follow the header `Refresh`; the link is for those that do not. */
export function renderLeaving({ to, ...frame }: LeavingView): string {
  const text = messagesOf(frame);
  return renderDocument(
    <Document {...frame} kind="message" title={text.leavingTitle} lead={[text.postFormText, { application: to.host }]}>
      <LinkButton href={to.href}>{text.continue}</LinkButton>
    </Document>,
  );
}
