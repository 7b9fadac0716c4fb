import { Field, HiddenUsername, Submit } from "./controls.tsx";
import { ALERT_ID } from "./layout.tsx";
import type { Messages } from "./messages.ts";

/** The rules of a realm that are said where a password is chosen. */
export interface PasswordRules {
  readonly minLength: number;
  readonly maxLength: number;
  readonly minLowercase: number;
  readonly minUppercase: number;
  readonly minDigits: number;
  readonly minSymbols: number;
}

/** The realm's rules for passwords, in the language of the page. */
export function passwordRules(policy: PasswordRules, text: Messages): string {
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
  readonly policy: PasswordRules;
  readonly invalid: boolean;
  readonly focus: boolean;
  readonly labels: readonly [password: string, again: string];
}

/** A password that is chosen, typed twice: without a script users cannot see what they typed. */
export const NewPassword = ({ text, policy, invalid, focus, labels: [label, again] }: NewPasswordView) => (
  <>
    <Field
      id="new-password"
      name="newPassword"
      label={label}
      hint={passwordRules(policy, text)}
      type="password"
      autocomplete="new-password"
      autofocus={focus}
      invalid={invalid}
    />
    <Field
      id="new-password-again"
      name="newPasswordAgain"
      label={again}
      type="password"
      autocomplete="new-password"
      enterkeyhint="go"
      invalid={invalid}
    />
  </>
);

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
        aria-describedby={view.invalid ? ALERT_ID : undefined}
      />
    )}
    <NewPassword {...view} focus={focus && !asksCurrent} text={text} labels={[text.newPassword, text.newPasswordAgain]} />
    <Submit>{text.newPasswordSave}</Submit>
  </>
);
