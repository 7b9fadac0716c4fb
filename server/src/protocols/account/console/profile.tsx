import { Attribute, Field, Form, loginName, type Messages, Submit } from "../../../pages/index.ts";
import { shownAttribute, shownInProfile } from "../../../signin/own-profile/index.ts";
import { attributesOf, type Settings, wordsIn } from "../../../tenancy/settings/index.ts";
import type { Profile } from "../profile/profile.schema.ts";
import { type AccountPageProps, type AccountView, Act, Action, type FormProblem, Panel, Row, Rows } from "./shell.tsx";

/** One member of the profile, as a form has it. */
export interface Member {
  readonly name: string;
  readonly label: keyof Messages;
  readonly isAttribute: boolean;
  readonly type: "text" | "email" | "tel" | "url" | "date";
  readonly autocomplete: string;
  /** The text for a refused value. */
  readonly refusal: keyof Messages;
}

const member = (name: string, label: keyof Messages, autocomplete: string, more: Partial<Member> = {}): Member => ({
  ...{ name, label, autocomplete, isAttribute: true, type: "text", refusal: "accountInvalidText" },
  ...more,
});

const ABOUT = [
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
/** The standard attributes that a page shows if the realm does not declare them. */
export const DETAILS: readonly Member[] = [...ABOUT, ...ADDRESS];
/** The members by which people sign in and are reached. Changing one requires recent authentication. */
export const CONTACT: readonly Member[] = [
  member("username", "accountUsername", "username", { isAttribute: false, refusal: "usernameMailText" }),
  member("email", "accountEmail", "email", { isAttribute: false, type: "email", refusal: "accountInvalidEmail" }),
  member("phoneNumber", "accountPhone", "tel", { type: "tel", refusal: "accountInvalidPhone" }),
];

interface ProfileView {
  readonly view: AccountView;
  readonly profile: Profile;
  readonly readOnly: ReadonlySet<string>;
  readonly settings: Settings;
  /** The typed values of a refused form. */
  readonly typed: Readonly<Record<string, string | undefined>>;
  readonly typedAttributes: Readonly<Record<string, string | readonly string[] | null>>;
  readonly problem: FormProblem | undefined;
}

const first = (value: string | readonly string[] | null | undefined): string =>
  (typeof value === "object" && value !== null ? value[0] : value) ?? "";

const storedIn = (profile: Profile, { name, isAttribute }: Member): string =>
  first(isAttribute ? profile.attributes[name as keyof Profile["attributes"]] : (profile[name as "email"] ?? null));

function Members({ members, ...shown }: ProfileView & { members: readonly Member[] }) {
  const { view, profile, readOnly, typed, problem } = shown;
  const { text } = view;
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

/** Returns the standard attributes of a list that the realm leaves to users, and does not declare. */
export const standardIn = ({ userProfile }: Settings, members: readonly Member[]): readonly Member[] =>
  members.filter(
    ({ name, isAttribute }) =>
      !isAttribute || name === "phoneNumber" || (userProfile.standardAttributes && !attributesOf(userProfile).has(name)),
  );

/** Shows the names and the attributes that the realm declares, by group. */
function Declared({ group, ...shown }: ProfileView & { group: string | null }) {
  const { view, profile, readOnly, settings, typedAttributes, problem } = shown;
  const { text } = view;
  const { firstName, lastName } = profile;
  const values = { ...profile.attributes, firstName, lastName, ...typedAttributes };
  const fixed = view.impersonation ? new Set(Object.keys(values)) : readOnly;
  return (
    <>
      {shownInProfile(settings, { requiresNames: false })
        .filter((each) => each.group === group)
        .map((each) => {
          const attribute = shownAttribute(each, { text, locale: view.locale, settings, values, readOnly: fixed });
          return (
            <Attribute
              {...attribute}
              readonly={attribute.readonly || view.impersonation !== undefined}
              hint={attribute.readonly ? text.accountReadOnly : attribute.hint}
              error={problem?.field === each.name ? problem.text : undefined}
            />
          );
        })}
    </>
  );
}

export function profilePage(shown: ProfileView): AccountPageProps {
  const { view, profile, settings } = shown;
  const used = shownInProfile(settings, { requiresNames: false }).map(({ group }) => group);
  const groups = settings.userProfile.groups.filter(({ name }) => used.includes(name));
  const { text } = view;
  const { email, emailVerified, pendingEmail } = profile;
  const phone = first(profile.attributes.phoneNumber);
  return {
    view,
    title: text.accountProfile,
    lead: text.accountProfileText,
    problem: shown.problem,
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
            >
              {pendingEmail === null || view.impersonation ? null : (
                <Act view={view} path="profile/keep-address" label={text.accountEmailKeep}>
                  {text.accountEmailKeep}
                </Act>
              )}
            </Row>
            <Row title={text.accountPhone} facts={[phone === "" ? text.accountNone : <bdi>{phone}</bdi>]} />
          </Rows>
        </Panel>
        <Panel title={text.accountAboutYou} icon="codes">
          <Form csrf={view.csrf} action={`${view.base}pages/profile`}>
            <div class="gh-pair">
              <Declared {...shown} group={null} />
              <Members {...shown} members={standardIn(settings, ABOUT)} />
            </div>
            {groups.map(({ name, displayName = {} }) => (
              <>
                <h3 class="gh-subhead">{wordsIn(displayName, view.locale, settings.defaultLocale) ?? name}</h3>
                <div class="gh-pair">
                  <Declared {...shown} group={name} />
                </div>
              </>
            ))}
            {standardIn(settings, ADDRESS).length === 0 ? null : (
              <>
                <h3 class="gh-subhead">{text.accountAddress}</h3>
                <div class="gh-pair">
                  <Members {...shown} members={standardIn(settings, ADDRESS)} />
                </div>
              </>
            )}
            {view.impersonation ? null : <Submit>{text.accountSave}</Submit>}
          </Form>
        </Panel>
      </>
    ),
  };
}

export function contactPage(shown: ProfileView): AccountPageProps {
  const { view } = shown;
  const { text } = view;
  return {
    view,
    title: text.accountContact,
    back: { href: `${view.base}pages/profile`, label: text.accountProfile },
    problem: shown.problem,
    children: (
      <Panel>
        <Form csrf={view.csrf} action={`${view.base}pages/profile/contact`}>
          <Members {...shown} members={CONTACT} />
          <Submit>{text.accountSave}</Submit>
        </Form>
      </Panel>
    ),
  };
}
