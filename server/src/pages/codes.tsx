import { Choices, Field, NameField, Resend, type StepAlert, Submit } from "./controls.tsx";
import { AccountName, Document, Form, type FormTarget, type PageFrame, renderDocument } from "./layout.tsx";
import { type Messages, messagesOf } from "./messages.ts";
import { ScreenFacts, type WaitingScreen } from "./push.tsx";
import { Isolated } from "./text.tsx";

interface CodeView {
  readonly text: Messages;
  readonly hint?: string | undefined;
  /** The number of digits, with which telephones show number keys and suggest the code of a new message. Null if the code has other characters. */
  readonly digits: number | null;
  readonly alert: StepAlert;
  /** The number of seconds after which another code can be requested. */
  readonly resend?: number;
}

/** The field for a code, however it was sent. */
export const CodeField = ({ text, hint, digits, alert, resend }: CodeView) => (
  <>
    {/* They are above the code, because it is sent when its last digit is typed. */}
    <Choices />
    <CodeInput label={text.codeLabel} hint={hint} digits={digits} invalid={alert?.blames ?? false} focus={alert === null} />
    <Submit>{text.next}</Submit>
    {resend === undefined ? null : <Resend wait={resend}>{text.resendCode}</Resend>}
  </>
);

type CodeInputView = Pick<CodeView, "hint" | "digits"> & { label: string; invalid: boolean; focus: boolean; sends?: boolean };

const CodeInput = ({ digits, focus, sends = true, ...field }: CodeInputView) => (
  <Field
    id="code"
    {...field}
    type="text"
    code
    autocomplete={digits === null ? "off" : "one-time-code"}
    inputmode={digits === null ? "text" : "numeric"}
    data-digits={sends && digits !== null ? String(digits) : undefined}
    autocapitalize="none"
    autocorrect="off"
    spellcheck={false}
    maxlength={32}
    enterkeyhint="go"
    autofocus={focus}
  />
);

interface AppSetupView {
  readonly text: Messages;
  /** The dark fields of the QR code, with its margin. */
  readonly picture: readonly (readonly boolean[])[];
  /** The key as text, for typing. */
  readonly secret: string;
  readonly issuer: string;
  readonly account: string;
  readonly label: string;
  /** The address of the key, which an app on this device can open. */
  readonly uri: string;
  readonly digits: number;
}

/** Everything that an authenticator app needs: a picture for its camera, a link, and text. */
export const AppSetup = ({ text, picture, secret, issuer, account, label, uri, digits }: AppSetupView) => (
  <div class="gh-setup">
    <div class="gh-setup-key">
      <Picture cells={picture} alt={text.totpPicture} />
      <p class="gh-hint">{text.totpTypeIt}</p>
      <p class="gh-code gh-key" translate={false}>
        {(secret.match(/.{1,4}/g) ?? []).join(" ")}
      </p>
      <p class="gh-tools">
        <a class="gh-link" href={uri}>
          {text.accountAppOpen}
        </a>
        <button class="gh-link" type="button" data-copy={secret} data-done={text.codesCopied} aria-live="polite" hidden>
          {text.totpCopyKey}
        </button>
      </p>
    </div>
    <div class="gh-form">
      <p class="gh-hint">
        {text.totpAccount}: <Isolated text={account} class="gh-account" /> · {text.totpIssuer}:{" "}
        <Isolated text={issuer} class="gh-account" />
      </p>
      {/* The field does not take the focus, which would scroll past the picture on a telephone. */}
      <CodeInput label={text.totpFirstCode} digits={digits} sends={false} invalid={false} focus={false} />
      <NameField label={text.totpLabel} hint={text.totpLabelHint} maxlength={100} value={label} />
      <Submit>{text.totpSave}</Submit>
    </div>
  </div>
);

/** A QR code. It is black on white in every scheme, because cameras could not read it otherwise. */
export const Picture = ({ cells, alt }: { cells: readonly (readonly boolean[])[]; alt: string }) => {
  const dark = cells.flatMap((row, y) => row.flatMap((cell, x) => (cell ? [`M${x} ${y}h1v1h-1z`] : [])));
  return (
    <svg class="gh-qr" role="img" aria-label={alt} viewBox={`0 0 ${cells.length} ${cells.length}`} shape-rendering="crispEdges">
      <rect width="100%" height="100%" fill="#fff" />
      <path fill="#000" d={dark.join("")} />
    </svg>
  );
};

/** The actions on a list of codes, which need the script. */
const CodeTools = ({ text, of }: { text: Messages; of: string }) => (
  <div class="gh-tools" data-codes={of} data-file="recovery-codes.txt" hidden>
    <button class="gh-link" type="button" data-act="copy" data-done={text.codesCopied} aria-live="polite" hidden>
      {text.codesCopy}
    </button>
    <button class="gh-link" type="button" data-act="download" hidden>
      {text.codesDownload}
    </button>
    <button class="gh-link" type="button" data-act="print" hidden>
      {text.codesPrint}
    </button>
  </div>
);

/** The recovery codes, with actions that need the script. */
export const CodeList = ({ text, title, codes }: { text: Messages; title: string; codes: readonly string[] }) => (
  <>
    <ul class="gh-codes" id="codes" aria-label={title}>
      {codes.map((code) => (
        <li class="gh-code" translate={false}>
          {code}
        </li>
      ))}
    </ul>
    <CodeTools text={text} of="codes" />
  </>
);

/** The new recovery codes, which are shown once. */
export const RecoveryCodeList = ({ text, codes }: { text: Messages; codes: readonly string[] }) => (
  <>
    <CodeList text={text} title={text.recoveryTitle} codes={codes} />
    <Submit>{text.recoveryKept}</Submit>
  </>
);

/** The page that refreshes itself while the user waits for the link. Without a refresh there is a button. */
export const LinkWaiting = ({ text, resend }: { text: Messages; resend: number }) => (
  <>
    <Submit look="plain">{text.linkCheck}</Submit>
    <Resend wait={resend}>{text.linkResend}</Resend>
  </>
);

/** The link was opened in another browser, which shows a code. This page no longer refreshes itself, because that would clear the typed code. */
export const LinkCode = ({ text, digits, resend, alert }: Omit<CodeView, "hint">) => (
  <>
    <Choices />
    <CodeInput label={text.codeLabel} digits={digits} invalid={alert?.blames ?? false} focus={alert === null} />
    <Submit>{text.next}</Submit>
    <Resend wait={resend}>{text.linkResend}</Resend>
  </>
);

/** The page in another browser than the sign-in's: first it names the sign-in, then it shows the code. */
interface LinkElsewhereView extends PageFrame, FormTarget {
  readonly hidden: Readonly<Record<string, string>>;
  readonly screen: WaitingScreen;
  /** Null until the user asks for it. */
  readonly code: string | null;
}

export function renderLinkElsewhere({ hidden, screen, code, ...view }: LinkElsewhereView): string {
  const text = messagesOf(view);
  return renderDocument(
    code === null ? (
      <Document {...view} kind="login" title={text.linkElsewhereTitle} lead={text.linkElsewhereText}>
        <ScreenFacts text={text} locale={view.locale} screen={screen} />
        <Form csrf={view.csrf} action={view.action} values={hidden}>
          <Submit>{text.linkElsewhereGet}</Submit>
        </Form>
      </Document>
    ) : (
      <Document {...view} kind="login" title={text.linkElsewhereCodeTitle} lead={text.linkElsewhereCodeText}>
        <p class="gh-code gh-number">{code}</p>
        <ScreenFacts text={text} locale={view.locale} screen={screen} />
      </Document>
    ),
  );
}

/** The page that a mailed link opens. Opening it has no effect, because mail scanners open it, too. */
interface LinkView extends PageFrame, FormTarget {
  readonly hidden: Readonly<Record<string, string>>;
  readonly account: string;
}

export function renderLink(view: LinkView): string {
  const text = messagesOf(view);
  return renderDocument(
    <Document {...view} kind="login" title={text.linkConfirmTitle} lead={text.linkConfirmText}>
      <p class="gh-account-line">
        <AccountName name={view.account} />
      </p>
      <Form csrf={view.csrf} action={view.action} values={view.hidden}>
        <Submit>{text.signIn}</Submit>
      </Form>
    </Document>,
  );
}
