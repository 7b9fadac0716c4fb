import { Field, LinkButton, Submit } from "./controls.tsx";
import { Facts } from "./facts.tsx";
import { Alert, Document, Form, type PageFrame, renderDocument } from "./layout.tsx";
import { messagesOf } from "./messages.ts";
import { type Moment, Time } from "./times.tsx";

interface TransactionView extends PageFrame {
  readonly csrf: string;
  readonly signAction: string;
  readonly declineAction: string;
  readonly client: string;
  readonly account: string;
  readonly type: string;
  readonly summary: string;
  readonly payloadHash: string;
  readonly until: Moment;
  /** True for the factors by which the user can sign. */
  readonly byCode: boolean;
  readonly byDevice: boolean;
  /** The page on which users without these factors set up an authenticator app. It leads back. */
  readonly setUp: string;
  readonly problem?: "wrong" | "weak" | undefined;
}

/** Renders the page on which a user signs. It shows the application's own words, and the fingerprint of the content that they stand for. */
export function renderTransaction(view: TransactionView): string {
  const text = messagesOf(view);
  const problems = {
    wrong: { title: text.txWrongTitle, text: text.txWrongText },
    weak: { title: text.txWeakTitle, text: text.txWeakText },
  };
  return renderDocument(
    <Document
      {...view}
      kind="device"
      title={text.txTitle}
      problem={view.problem && problems[view.problem]}
      lead={[text.txText, { client: view.client, account: view.account }]}
    >
      <p class="gh-summary" dir="auto">
        {view.summary}
      </p>
      <Facts
        facts={[
          [text.txKind, view.type],
          [text.txHash, view.payloadHash],
          [text.txUntil, <Time locale={view.locale} {...view.until} />],
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
            invalid={view.problem === "wrong"}
          />
          <Submit>{text.txSign}</Submit>
        </Form>
      ) : null}
      {view.byDevice ? <p class="gh-hint">{text.txOnDevice}</p> : null}
      {view.byCode || view.byDevice ? null : (
        <>
          <Alert id="gh-notice" tone="notice">
            {text.txNoFactorText}
          </Alert>
          <LinkButton href={view.setUp}>{text.totpSetupTitle}</LinkButton>
        </>
      )}
      <Form csrf={view.csrf} action={view.declineAction} label={text.txDecline}>
        <Submit look="plain">{text.txDecline}</Submit>
      </Form>
    </Document>,
  );
}
