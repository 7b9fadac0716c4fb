import type { ComponentChildren } from "preact";
import {
  Alert,
  type AssetName,
  assetHref,
  BrandLinks,
  BrandMark,
  brandName,
  brandOf,
  Filled,
  Form,
  type Messages,
  PageFooter,
  type PageFrame,
  renderDocument,
  Sheet,
  Submit,
  Timed,
  withoutBidiControls,
} from "../../../pages/index.ts";
import { Icon, type IconName } from "./icons.tsx";

/** The pages of the navigation: path, text, and whether an administrator who acts as the user sees it. */
const PAGES = [
  ["overview", "", "accountOverview", true],
  ["profile", "pages/profile", "accountProfile", true],
  ["security", "pages/security", "accountSecurity", false],
  ["sessions", "pages/sessions", "accountSessions", true],
  ["applications", "pages/applications", "accountApplications", true],
  ["links", "pages/linked-accounts", "accountLinks", true],
  ["organizations", "pages/organizations", "accountOrganizations", true],
  ["activity", "pages/activity", "accountActivity", false],
  ["data", "pages/data", "accountData", false],
  ["preferences", "pages/preferences", "accountPreferences", true],
] as const satisfies readonly (readonly [IconName, string, keyof Messages, boolean])[];

export type PageName = (typeof PAGES)[number][0];

/** The frame of every page of the account console. */
export interface AccountFrame extends PageFrame {
  readonly csrf: string;
  /** The base path `/realms/{realm}/account/`. */
  readonly base: string;
  readonly logoutAction: string;
  readonly account: string;
  readonly now: number;
  readonly text: Messages;
  readonly scripts: NonNullable<PageFrame["scripts"]>;
  /** Lets the scripts of this answer run. */
  readonly nonce: string;
  /** The pages that would have nothing to show. */
  readonly hidden: readonly PageName[];
}

export interface AccountView extends AccountFrame {
  readonly here: PageName;
}

/** The reason why a form is shown again, below the field that it is about, or above the form. */
export interface FormProblem {
  readonly status: number;
  readonly field: string | null;
  readonly text: string;
}

export interface AccountPageProps {
  readonly view: AccountView;
  readonly title: string;
  readonly values?: Readonly<Record<string, string>>;
  readonly lead?: ComponentChildren;
  /** The confirmation of a completed action. */
  readonly notice?: string | undefined;
  readonly problem?: FormProblem | undefined;
  readonly scripts?: readonly AssetName[];
  /** The link to the page above this one. */
  readonly back?: { readonly href: string; readonly label: string };
  readonly children?: ComponentChildren;
}

const STYLES = ["account.css", "account-parts.css"] as const;

export const renderAccountPage = (props: AccountPageProps): string => renderDocument(<AccountPage {...props} />);

function AccountPage({ view, title, values = {}, lead, notice, problem, scripts = [], back, children }: AccountPageProps) {
  const { text } = view;
  const brand = brandOf(view);
  const refusal = problem && { title: text.accountRefusedTitle, text: problem.field === null ? problem.text : undefined };
  const ours = [...view.scripts, ...scripts.map((name) => ({ src: assetHref(name), nonce: view.nonce }))];
  const names = { name: brandName(brand), ...values };
  const plain = title.replace(/\{([a-z]+)\}/g, (whole, key: string) => withoutBidiControls(names[key as "name"] ?? whole));
  return (
    <Sheet {...view} kind="account" title={plain} problem={refusal} styles={STYLES.map(assetHref)} scripts={ours}>
      <a class="gh-skip" href="#gh-main">
        {text.accountSkip}
      </a>
      <header class="gh-top">
        <a class="gh-top-brand" href={view.base}>
          <BrandMark branding={brand} theme={view.theme} />
          <span class="gh-top-name">{withoutBidiControls(brandName(brand))}</span>
        </a>
        <Form class="gh-top-account" csrf={view.csrf} action={view.logoutAction}>
          <span class="gh-account-name" dir="auto">
            {withoutBidiControls(view.account)}
          </span>
          <button class="gh-link" type="submit">
            {text.signOut}
          </button>
        </Form>
      </header>
      <div class="gh-shell">
        <Navigation view={view} />
        <main class="gh-main" id="gh-main" tabIndex={-1}>
          {back ? (
            <p class="gh-back">
              <a class="gh-link" href={back.href}>
                <span aria-hidden="true">←</span> {back.label}
              </a>
            </p>
          ) : null}
          <h1 class="gh-title">
            <Filled template={title} values={names} />
          </h1>
          {lead ? <p class="gh-lead">{lead}</p> : null}
          {refusal?.text ? (
            <Alert id="gh-error" tone="error" title={refusal.title}>
              {refusal.text}
            </Alert>
          ) : null}
          {notice && !problem ? (
            <Alert id="gh-notice" tone="notice">
              {notice}
            </Alert>
          ) : null}
          {children}
          <BrandLinks branding={brand} locale={view.locale} />
          <PageFooter {...view} />
        </main>
      </div>
    </Sheet>
  );
}

function Navigation({ view }: { view: AccountView }) {
  const shown = PAGES.filter(([name, , , alsoPlayed]) => !view.hidden.includes(name) && (alsoPlayed || !view.impersonation));
  return (
    <nav class="gh-nav" aria-label={view.text.accountNav}>
      <ul>
        {shown.map(([name, path, label]) => (
          <li>
            <a href={`${view.base}${path}`} aria-current={name === view.here ? "page" : undefined}>
              <Icon name={name} />
              {view.text[label]}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

interface PanelProps {
  readonly title?: string | undefined;
  readonly text?: ComponentChildren;
  readonly icon?: IconName;
  /** The link or button beside the heading. */
  readonly action?: ComponentChildren;
  readonly children?: ComponentChildren;
}

/** Shows a box with a heading. */
export const Panel = ({ title, text, icon, action, children }: PanelProps) => (
  <section class="gh-panel">
    {title === undefined ? null : (
      <div class="gh-panel-head">
        {icon ? <Icon name={icon} /> : null}
        <h2>{title}</h2>
        {action}
      </div>
    )}
    {text ? <p class="gh-panel-text">{text}</p> : null}
    {children}
  </section>
);

interface RowProps {
  readonly icon?: IconName;
  readonly picture?: ComponentChildren;
  readonly title: ComponentChildren;
  /** The lines below the title. */
  readonly facts?: readonly ComponentChildren[];
  readonly children?: ComponentChildren;
}

/** Shows an entry of a list, with its actions. */
export const Row = ({ icon, picture, title, facts = [], children }: RowProps) => (
  <li class="gh-row">
    {picture ?? (icon ? <Icon name={icon} /> : null)}
    <div class="gh-row-text">
      <p class="gh-row-title">{title}</p>
      {facts.filter(Boolean).map((fact) => (
        <div class="gh-row-fact">{fact}</div>
      ))}
    </div>
    {children ? <div class="gh-row-actions">{children}</div> : null}
  </li>
);

/** When something was last used. */
export const lastUsed = ({ text, locale, now }: AccountView, at: number | null): ComponentChildren =>
  at === null ? text.accountNeverUsed : <Timed template={text.accountUsed} at={at} locale={locale} now={now} />;

/** When something was added, and when it was last used. */
export const AddedAndUsed = ({ view, added, used }: { view: AccountView; added: number; used: number | null }) => (
  <>
    <Timed template={view.text.accountAdded} at={added} locale={view.locale} now={view.now} /> · {lastUsed(view, used)}
  </>
);

/** A browser's name, and a mark at the one that shows the page. */
export const BrowserTitle = ({ text, name, current }: { text: Messages; name: string; current: boolean }) => (
  <>
    {name}
    {current ? <span class="gh-tag">{text.accountThisBrowser}</span> : null}
  </>
);

export const Rows = ({ children }: { children: ComponentChildren }) => <ul class="gh-rows">{children}</ul>;

/** Shows a list in a box, or a text if it is empty. */
export const RowsPanel = ({ none, children }: { none: string; children: readonly ComponentChildren[] }) =>
  children.length === 0 ? (
    <Panel text={none} />
  ) : (
    <Panel>
      <Rows>{children}</Rows>
    </Panel>
  );

/** Shows a box that asks before an action. Its form has one button. */
export const AskPanel = ({ view, action, text, children }: { view: AccountView; action: string; text?: string; children: string }) => (
  <Panel text={text}>
    <Form csrf={view.csrf} action={`${view.base}${action}`}>
      <Submit>{children}</Submit>
    </Form>
  </Panel>
);

/** Shows a link that looks like a button. */
export const Action = ({ href, label, children }: { href: string; label?: string | undefined; children: ComponentChildren }) => (
  <a class="gh-button gh-button--plain gh-button--small" href={href} aria-label={label}>
    {children}
  </a>
);

interface ActProps {
  readonly view: AccountView;
  readonly path: string;
  readonly values?: Readonly<Record<string, string>>;
  /** The text for screen readers, if several buttons have the same text. */
  readonly label?: string | undefined;
  readonly children: ComponentChildren;
}

/** Shows a button that acts at once. */
export const Act = ({ view, path, values, label, children }: ActProps) => (
  <Form class="gh-act" csrf={view.csrf} action={`${view.base}pages/${path}`} values={values}>
    <button class="gh-button gh-button--plain gh-button--small" type="submit" aria-label={label}>
      {children}
    </button>
  </Form>
);
