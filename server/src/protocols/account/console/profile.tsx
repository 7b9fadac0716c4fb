import { Field, Form, loginName, type Messages, messagesOf, Submit } from "../../../pages/index.ts";
import type { Profile } from "../profile/profile.schema.ts";
import type { FormProblem } from "./pages.ts";
import { type AccountView, Action, Panel, Row, Rows, renderAccountPage } from "./shell.tsx";

/** One member of the profile, as a form has it. */
export interface Member {
  readonly name: string;
  readonly label: keyof Messages;
  readonly isAttribute: boolean;
  readonly type: "text" | "email" | "tel" | "url" | "date";
  readonly autocomplete: string;
  /** Why what was typed is refused. */
  readonly refusal: keyof Messages;
}

const member = (name: string, label: keyof Messages, autocomplete: string, more: Partial<Member> = {}): Member => ({
  ...{ name, label, autocomplete, isAttribute: true, type: "text", refusal: "accountInvalidText" },
  ...more,
});

const ABOUT = [
  member("firstName", "accountFirstName", "given-name", { isAttribute: false }),
  member("lastName", "accountLastName", "family-name", { isAttribute: false }),
  member("nickname", "accountNickname", "nickname"),
  member("birthdate", "accountBirthdate", "bday", { type: "date" }),
  member("website", "accountWebsite", "url", { type: "url" }),
];
const ADDRESS = [
  member("streetAddress", "accountStreet", "street-address"),
  member("postalCode", "accountPostalCode", "postal-code"),
  member("locality", "accountCity", "address-level2"),
  member("region", "accountRegion", "address-level1"),
  member("country", "accountCountry", "country-name"),
];
/** Attributes that people set themselves. */
export const DETAILS: readonly Member[] = [...ABOUT, ...ADDRESS];
/** Members by which people sign in and are reached: a change asks for recent authentication. */
export const CONTACT: readonly Member[] = [
  member("username", "accountUsername", "username", { isAttribute: false, refusal: "usernameMailText" }),
  member("email", "accountEmail", "email", { isAttribute: false, type: "email", refusal: "accountInvalidEmail" }),
  member("phoneNumber", "accountPhone", "tel", { type: "tel", refusal: "accountInvalidPhone" }),
];

interface ProfileView {
  readonly view: AccountView;
  readonly profile: Profile;
  readonly readOnly: ReadonlySet<string>;
  /** Values that were typed and refused. */
  readonly typed: Readonly<Record<string, string | undefined>>;
  readonly problem: FormProblem | undefined;
  readonly notice: string | undefined;
}

const first = (value: string | readonly string[] | null | undefined): string =>
  (typeof value === "object" && value !== null ? value[0] : value) ?? "";

const storedIn = (profile: Profile, { name, isAttribute }: Member): string =>
  first(isAttribute ? profile.attributes[name as keyof Profile["attributes"]] : (profile[name as "email"] ?? null));

function Members({ members, ...shown }: ProfileView & { members: readonly Member[] }) {
  const { view, profile, readOnly, typed, problem } = shown;
  const text = messagesOf(view);
  return (
    <>
      {members.map((each) => {
        const { name, label, type, autocomplete } = each;
        const isFixed = readOnly.has(name) || view.impersonation !== undefined;
        return (
          <Field
            id={name}
            label={text[label]}
            {...(name === "username" ? loginName : { type, dir: type === "text" ? ("auto" as const) : undefined })}
            autocomplete={autocomplete}
            value={typed[name] ?? storedIn(profile, each)}
            required={name === "username"}
            readonly={isFixed}
            hint={readOnly.has(name) ? text.accountReadOnly : name === "email" ? text.accountEmailHint : undefined}
            maxlength={name === "email" ? 320 : 255}
            error={problem?.field === name ? problem.text : undefined}
          />
        );
      })}
    </>
  );
}

/** Words above the form, for what is not about one field. */
const problemIn = ({ view, problem }: ProfileView) =>
  problem && { problem: { title: messagesOf(view).accountRefusedTitle, text: problem.field === null ? problem.text : undefined } };

export function renderProfile(shown: ProfileView): string {
  const { view, profile } = shown;
  const text = messagesOf(view);
  const { email, emailVerified, pendingEmail } = profile;
  const phone = first(profile.attributes.phoneNumber);
  return renderAccountPage({
    view,
    title: text.accountProfile,
    lead: text.accountProfileText,
    notice: shown.notice,
    ...problemIn(shown),
    children: (
      <>
        <Panel
          title={text.accountContact}
          icon="profile"
          action={view.impersonation ? null : <Action href={`${view.base}pages/profile/contact`}>{text.accountChange}</Action>}
        >
          <Rows>
            <Row title={text.accountUsername} facts={[<bdi>{profile.username}</bdi>]} />
            <Row
              title={text.accountEmail}
              facts={[
                email === null ? (
                  text.accountNone
                ) : (
                  <>
                    <bdi>{email}</bdi> · {emailVerified ? text.accountEmailVerified : text.accountEmailUnverified}
                  </>
                ),
                pendingEmail !== null && text.accountEmailPending.replace("{address}", () => pendingEmail),
              ]}
            />
            <Row title={text.accountPhone} facts={[phone === "" ? text.accountNone : <bdi>{phone}</bdi>]} />
          </Rows>
        </Panel>
        <Panel title={text.accountAboutYou} icon="codes">
          <Form csrf={view.csrf} action={`${view.base}pages/profile`}>
            <div class="gh-pair">
              <Members {...shown} members={ABOUT} />
            </div>
            <h3 class="gh-subhead">{text.accountAddress}</h3>
            <div class="gh-pair">
              <Members {...shown} members={ADDRESS} />
            </div>
            {view.impersonation ? null : <Submit>{text.accountSave}</Submit>}
          </Form>
        </Panel>
      </>
    ),
  });
}

export function renderContact(shown: ProfileView): string {
  const { view } = shown;
  const text = messagesOf(view);
  return renderAccountPage({
    view,
    title: text.accountContact,
    back: { href: `${view.base}pages/profile`, label: text.accountProfile },
    ...problemIn(shown),
    children: (
      <Panel>
        <Form csrf={view.csrf} action={`${view.base}pages/profile/contact`}>
          <Members {...shown} members={CONTACT} />
          <Submit>{text.accountSave}</Submit>
        </Form>
      </Panel>
    ),
  });
}
