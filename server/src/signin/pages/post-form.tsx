import { Submit } from "./controls.tsx";
import { Document, type PageFrame, renderDocument } from "./layout.tsx";
import { messagesOf } from "./messages.ts";
import { Filled } from "./text.tsx";

export interface PostFormView extends PageFrame {
  /** As people know it. */
  readonly application: string;
  readonly action: string;
  readonly fields: Readonly<Record<string, string>>;
  readonly script: { readonly src: string; readonly nonce: string };
}

/** SAML bindings §3.5.4: the browser carries a message to the application. Without scripts, people press the button. */
export function renderPostForm(view: PostFormView): string {
  const text = messagesOf(view.locale);
  const lead = <Filled template={text.postFormText} values={{ application: view.application }} class="gh-account" />;
  return renderDocument(
    <Document {...view} kind="message" title={text.postFormTitle} lead={<p class="gh-lead">{lead}</p>} scripts={[view.script]}>
      <form class="gh-form" method="post" action={view.action} data-post="">
        {Object.entries(view.fields).map(([name, value]) => (
          <input type="hidden" name={name} value={value} />
        ))}
        <Submit id="continue">{text.continue}</Submit>
      </form>
    </Document>,
  );
}
