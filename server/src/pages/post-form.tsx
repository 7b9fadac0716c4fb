import { type Hop, HopButton } from "./hop.tsx";
import { Document, type PageFrame, type PageScript, renderDocument } from "./layout.tsx";
import { type Messages, messagesOf } from "./messages.ts";

interface PostFormView extends PageFrame {
  readonly hop: Required<Hop>;
  readonly title: keyof Messages;
  readonly scripts: readonly PageScript[];
}

/** Renders a form by which the browser carries a message to the application, or to an identity provider (SAML bindings §3.5.4). */
export function renderPostForm({ hop, title, ...frame }: PostFormView): string {
  const text = messagesOf(frame);
  return renderDocument(
    <Document {...frame} kind="message" title={text[title]} lead={[text.postFormText, { application: hop.name }]}>
      <HopButton hop={hop}>{text.continue}</HopButton>
    </Document>,
  );
}
