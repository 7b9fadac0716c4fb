import { Field, HiddenUsername, Submit } from "./controls.tsx";
import { ALERT_ID } from "./layout.tsx";
import type { Messages } from "./messages.ts";

/** The rules of a realm that are shown where a user chooses a password. */
export interface PasswordRules {
  readonly minLength: number;
  readonly maxLength: number;
  readonly minLowercase: number;
  readonly minUppercase: number;
  readonly minDigits: number;
  readonly minSymbols: number;
}

/** Returns the realm's rules for passwords in the language of the page. Each has what a script counts, and the number that it needs. */
function rulesOf(policy: PasswordRules, text: Messages): (readonly [kind: string, least: number, words: string])[] {
  const length = text.passwordRules.replace("{min}", () => String(policy.minLength)).replace("{max}", () => String(policy.maxLength));
  const least = [
    ["lower", policy.minLowercase, text.passwordRuleLower],
    ["upper", policy.minUppercase, text.passwordRuleUpper],
    ["digits", policy.minDigits, text.passwordRuleDigits],
    ["symbols", policy.minSymbols, text.passwordRuleSymbols],
  ] as const;
  return [
    ["length", policy.minLength, length],
    ...least
      .filter(([, count]) => count > 0)
      .map(([kind, count, words]) => [kind, count, words.replace("{count}", () => String(count))] as const),
  ];
}

/** The rules below the field for a new password. A script marks the rules that are met while the user types. */
export const PasswordRuleList = ({ of, policy, text }: { of: string; policy: PasswordRules; text: Messages }) => (
  <ul class="gh-rules" id={`${of}-hint`} data-rules={of} data-most={String(policy.maxLength)}>
    {rulesOf(policy, text).map(([kind, least, words]) => (
      <li class="gh-rule" data-rule={kind} data-least={String(least)}>
        {words}
      </li>
    ))}
  </ul>
);

interface NewPasswordView {
  readonly text: Messages;
  readonly policy: PasswordRules;
  readonly invalid: boolean;
  readonly focus: boolean;
  readonly label: string;
}

/** The field for a new password. It is typed once: a script can show it, and a user who mistypes it can reset it. */
export const NewPassword = ({ text, policy, invalid, focus, label }: NewPasswordView) => (
  <Field
    id="new-password"
    name="newPassword"
    label={label}
    hint={<PasswordRuleList of="new-password" policy={policy} text={text} />}
    show={text.showPassword}
    type="password"
    autocomplete="new-password"
    enterkeyhint="go"
    autofocus={focus}
    invalid={invalid}
  />
);

interface ReplacePasswordView extends Omit<NewPasswordView, "label"> {
  readonly username: string;
  /** True if the page also asks for the present password, because a directory stores it. */
  readonly asksCurrent: boolean;
}

/** The page on which a known user chooses another password. The name is beside it for password managers. */
export const ReplacePassword = ({ text, username, asksCurrent, focus, ...view }: ReplacePasswordView) => (
  <>
    <HiddenUsername username={username} />
    {asksCurrent && (
      <Field
        id="current-password"
        name="currentPassword"
        label={text.currentPassword}
        show={text.showPassword}
        type="password"
        autocomplete="current-password"
        autofocus={focus}
        aria-describedby={view.invalid ? ALERT_ID : undefined}
      />
    )}
    <NewPassword {...view} focus={focus && !asksCurrent} text={text} label={text.newPassword} />
    <Submit>{text.newPasswordSave}</Submit>
  </>
);
