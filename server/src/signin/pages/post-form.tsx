import { type Hop, HopButton } from "./hop.tsx";
import { Document, type PageFrame, type PageScript, renderDocument } from "./layout.tsx";
import { messagesOf } from "./messages.ts";
import { Filled } from "./text.tsx";

export interface PostFormView extends PageFrame {
  readonly hop: Required<Hop>;
  readonly script: PageScript;
}

/** SAML bindings §3.5.4: the browser carries an answer to the application. */
export function renderPostForm({ hop, script, ...frame }: PostFormView): string {
  const text = messagesOf(frame.locale);
  const lead = <Filled template={text.postFormText} values={{ application: hop.name }} class="gh-account" />;
  return renderDocument(
    <Document {...frame} kind="message" title={text.postFormTitle} lead={<p class="gh-lead">{lead}</p>} scripts={[script]}>
      <HopButton hop={hop}>{text.continue}</HopButton>
    </Document>,
  );
}
