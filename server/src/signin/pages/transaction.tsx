import { Field, Submit } from "./controls.tsx";
import { Answered, Facts } from "./facts.tsx";
import { ALERT_ID, Document, Form, type PageFrame, renderDocument } from "./layout.tsx";
import { type Messages, messagesOf } from "./messages.ts";

interface SignIt extends PageFrame {
  readonly state: "ask";
  readonly csrf: string;
  readonly signAction: string;
  readonly declineAction: string;
  readonly client: string;
  readonly account: string;
  readonly type: string;
  readonly summary: string;
  readonly payloadHash: string;
  /** In words, in the language of the page. */
  readonly until: string;
  /** What the user can sign with. */
  readonly byCode: boolean;
  readonly byDevice: boolean;
  readonly problem?: "wrong" | "weak" | undefined;
}

interface Ended extends PageFrame {
  readonly state: "signed" | "declined" | "gone";
}

export type TransactionView = SignIt | Ended;

/** What you see is what you sign: the application's own words, and the fingerprint of what stands behind them. */
export const renderTransaction = (view: TransactionView): string =>
  renderDocument(
    view.state === "ask" ? <Ask view={view} /> : <Answered frame={view} words={endings(messagesOf(view.locale))[view.state]} />,
  );

function Ask({ view }: { view: SignIt }) {
  const text = messagesOf(view.locale);
  const problem =
    view.problem &&
    ({ wrong: { title: text.txWrongTitle, text: text.txWrongText }, weak: { title: text.txWeakTitle, text: text.txWeakText } } as const)[
      view.problem
    ];
  return (
    <Document
      {...view}
      kind="device"
      title={text.txTitle}
      problem={problem}
      lead={[text.txText, { client: view.client, account: view.account }]}
    >
      <p class="gh-summary" dir="auto">
        {view.summary}
      </p>
      <Facts
        facts={[
          [text.txKind, view.type],
          [text.txHash, view.payloadHash],
          [text.txUntil, view.until],
        ]}
      />
      {view.byCode ? (
        <Form csrf={view.csrf} action={view.signAction} label={text.txTitle} values={{ factor: "totp" }}>
          <Field
            id="value"
            label={text.txCode}
            type="text"
            code
            autocomplete="one-time-code"
            inputmode="numeric"
            autocapitalize="none"
            autocorrect="off"
            spellcheck={false}
            maxlength={16}
            {...(view.problem === "wrong" && ({ "aria-invalid": "true", "aria-describedby": ALERT_ID } as const))}
          />
          <Submit>{text.txSign}</Submit>
        </Form>
      ) : null}
      {view.byDevice ? <p class="gh-hint">{text.txOnDevice}</p> : null}
      <Form csrf={view.csrf} action={view.declineAction} label={text.txDecline}>
        <Submit look="plain">{text.txDecline}</Submit>
      </Form>
    </Document>
  );
}

const endings = (text: Messages) => ({
  signed: [text.txSignedTitle, text.txSignedText] as const,
  declined: [text.txDeclinedTitle, text.txDeclinedText] as const,
  gone: [text.txGoneTitle, text.txGoneText] as const,
});
