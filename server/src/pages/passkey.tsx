import { Choices, NameField } from "./controls.tsx";
import type { Messages } from "./messages.ts";

interface PasskeyView {
  readonly text: Messages;
  /** The WebAuthn options for the browser, as JSON. */
  readonly options: string;
  readonly look?: "primary" | "plain";
}

/** A button that the script shows. The form around it sends the device's answer. */
const Ceremony = ({ text, options, look = "primary", kind, label }: PasskeyView & { kind: "get" | "create"; label: string }) => (
  <div
    class="gh-passkey"
    data-passkey={kind}
    data-options={options}
    data-cancelled={text.passkeyCancelled}
    data-taken={text.passkeyTakenText}
    data-failed={text.passkeyFailed}
    data-unsupported={text.passkeyUnsupported}
  >
    <input type="hidden" name="credential" value="" />
    <button class={`gh-button gh-button--${look}`} type="button" data-start="" hidden>
      {label}
    </button>
    <p class="gh-hint" role="status" data-says="" hidden />
  </div>
);

/** A note that the script removes, so that it is also shown where a network blocks scripts. */
const NeedsScripts = ({ text }: { text: Messages }) => (
  <p class="gh-hint" data-without-scripts="">
    {text.passkeyNeedsScripts}
  </p>
);

/** The passkey ceremony beside another way to sign in. */
export const PasskeyBeside = ({ text, options }: Omit<PasskeyView, "look">) => (
  <Ceremony text={text} options={options} look="plain" kind="get" label={text.choosePasskey} />
);

export const UsePasskey = ({ text, options }: Omit<PasskeyView, "look">) => (
  <>
    <NeedsScripts text={text} />
    <Choices />
    <Ceremony text={text} options={options} kind="get" label={text.passkeyUse} />
  </>
);

export const CreatePasskey = ({ text, options, label }: Omit<PasskeyView, "look"> & { label: string }) => (
  <>
    <NeedsScripts text={text} />
    <NameField label={text.passkeyLabel} hint={text.passkeyLabelHint} maxlength={255} value={label} />
    <Ceremony text={text} options={options} kind="create" label={text.passkeyCreate} />
  </>
);
