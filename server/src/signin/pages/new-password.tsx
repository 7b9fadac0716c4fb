import type { Settings } from "../../tenancy/settings/index.ts";
import { Field, HiddenUsername, Submit } from "./controls.tsx";
import type { Messages } from "./messages.ts";
import { STEP_ALERT } from "./step.tsx";

const RULES_ID = "gh-password-rules";

/** The realm's rules for passwords, in the language of the page. */
export function passwordRules(policy: Settings["passwordPolicy"], text: Messages): string {
  const atLeast = (template: string, count: number) => (count > 0 ? [template.replace("{count}", () => String(count))] : []);
  return [
    text.passwordRules.replace("{min}", () => String(policy.minLength)).replace("{max}", () => String(policy.maxLength)),
    ...atLeast(text.passwordRuleLower, policy.minLowercase),
    ...atLeast(text.passwordRuleUpper, policy.minUppercase),
    ...atLeast(text.passwordRuleDigits, policy.minDigits),
    ...atLeast(text.passwordRuleSymbols, policy.minSymbols),
  ].join(" ");
}

interface NewPasswordView {
  readonly text: Messages;
  readonly policy: Settings["passwordPolicy"];
  readonly invalid: boolean;
  readonly focus: boolean;
  readonly labels: readonly [password: string, again: string];
}

/** A password that is chosen, typed twice: without a script users cannot see what they typed. */
export const NewPassword = ({ text, policy, invalid, focus, labels: [label, again] }: NewPasswordView) => {
  const wrong = invalid ? ({ "aria-invalid": "true" } as const) : {};
  return (
    <>
      <Field
        id="new-password"
        name="newPassword"
        label={label}
        hint={passwordRules(policy, text)}
        hintId={RULES_ID}
        type="password"
        autocomplete="new-password"
        autofocus={focus}
        aria-describedby={invalid ? `${RULES_ID} ${STEP_ALERT}` : RULES_ID}
        {...wrong}
      />
      <Field
        id="new-password-again"
        name="newPasswordAgain"
        label={again}
        type="password"
        autocomplete="new-password"
        enterkeyhint="go"
        aria-describedby={invalid ? STEP_ALERT : undefined}
        {...wrong}
      />
    </>
  );
};

interface ReplacePasswordView extends Omit<NewPasswordView, "labels"> {
  readonly username: string;
  /** The present password is asked for as well: a directory keeps it. */
  readonly asksCurrent: boolean;
}

/** The page on which a known user chooses another; the name stands beside it for password managers. */
export const ReplacePassword = ({ text, username, asksCurrent, focus, ...view }: ReplacePasswordView) => (
  <>
    <HiddenUsername username={username} />
    {asksCurrent && (
      <Field
        id="current-password"
        name="currentPassword"
        label={text.currentPassword}
        type="password"
        autocomplete="current-password"
        autofocus={focus}
        aria-describedby={view.invalid ? STEP_ALERT : undefined}
      />
    )}
    <NewPassword {...view} focus={focus && !asksCurrent} text={text} labels={[text.newPassword, text.newPasswordAgain]} />
    <Submit>{text.newPasswordSave}</Submit>
  </>
);
