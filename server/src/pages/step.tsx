import type { ComponentChildren } from "preact";
import { ApplicationLinks, ApplicationLogo, type ShownApplication } from "./application.tsx";
import { AboveButton, FieldProblem, Submit } from "./controls.tsx";
import {
  AccountName,
  Alert,
  Document,
  Form,
  type FormTarget,
  type PageFrame,
  type PageScript,
  type Problem,
  renderDocument,
} from "./layout.tsx";
import { daysText, messagesOf, waitingTime } from "./messages.ts";
import { ProviderLinks, type ShownLink } from "./providers.tsx";
import { Filled } from "./text.tsx";

/** One step of signing in. `body` is its question; the frame is the same for all steps. */
export interface StepView extends PageFrame, FormTarget {
  /** Hidden members of the form: the interaction and the step. */
  readonly hidden: Readonly<Record<string, string>>;
  readonly title: string;
  readonly lead?: ComponentChildren;
  readonly body: ComponentChildren;
  /** The problem of the last answer. `{time}` in its text is the waiting time. */
  readonly problem?: Problem | undefined;
  /** True to show the problem below the invalid field, not above the form. */
  readonly problemAtField?: boolean;
  readonly notice?: string | undefined;
  readonly retryAfterSeconds?: number | undefined;
  /** The user who signs in, once the name is known. */
  readonly account?: string | undefined;
  /** Other ways to pass this step. A script shows those that need one. */
  readonly others?: readonly { readonly path: string; readonly label: string; readonly needsScripts?: boolean | undefined }[];
  /** True if the sign-in can begin again, as another user. */
  readonly canRestart?: boolean;
  /** The text of that button, if it is not about another user. */
  readonly restart?: string | undefined;
  /** The purpose of the form, if it is not the sign-in. */
  readonly label?: string;
  /** Advice for a user who cannot answer, if no other way is offered. */
  readonly hint?: string;
  readonly links?: readonly { readonly href: string; readonly label: string }[];
  /** The identity providers that are offered. */
  readonly providers?: readonly ShownLink[];
  /** The path of the step whose page finds further providers. */
  readonly moreProviders?: string | undefined;
  readonly scripts?: readonly PageScript[];
  /** Content of other ways on this page, each a separate form that a script shows. */
  readonly beside?: readonly { readonly path: string; readonly body: ComponentChildren }[];
  /** The number of days for which the user can have this browser trusted. */
  readonly trustDays?: number | undefined;
  /** True if the box was ticked in an answer that was refused. */
  readonly isTrustTicked?: boolean;
  /** The application that the sign-in is for. It is shown until the user is known. */
  readonly application?: ShownApplication | undefined;
  /** The reason why a user who is already signed in is asked. */
  readonly why?: ComponentChildren;
  /** The way back without an answer: to an address or, if there is none, to the application, which gets an error. */
  readonly wayBack?: { readonly label: string; readonly href?: string } | undefined;
}

export function renderStep(view: StepView): string {
  const text = messagesOf(view);
  const { problem, retryAfterSeconds: seconds, csrf, action, others = [], links = [], providers = [] } = view;
  const kept = { interaction: view.hidden.interaction, return_to: view.hidden.return_to };
  const carried = Object.fromEntries(Object.entries(kept).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
  const trust =
    view.trustDays === undefined ? null : (
      <label class="gh-check">
        <input type="checkbox" name="trustDevice" value="true" checked={view.isTrustTicked} />
        <span>{text.trustBrowser.replace("{time}", () => daysText(view.locale, view.trustDays!))}</span>
      </label>
    );
  const choice = (path: string, label: string, needsScripts = false) => (
    <Form class="gh-other" csrf={csrf} action={action} values={{ ...carried, choose: path }} isHidden={needsScripts}>
      <Submit look="plain">{label}</Submit>
    </Form>
  );
  const timed =
    problem && seconds !== undefined
      ? { ...problem, text: problem.text.replace("{time}", () => waitingTime(view.locale, seconds)) }
      : problem;
  const atField = timed && view.problemAtField === true ? `${timed.title}. ${timed.text}` : null;
  return renderDocument(
    <Document
      {...view}
      kind="login"
      problem={timed}
      isProblemBelow={atField !== null}
      lead={
        <>
          {view.application && view.account === undefined && !view.why ? (
            <>
              <ApplicationLogo {...view.application} />
              <Lead>
                <Named template={text.signInFor} values={{ client: view.application.name }} />
              </Lead>
            </>
          ) : null}
          {view.why ? <Lead>{view.why}</Lead> : null}
          {view.lead ? <Lead>{view.lead}</Lead> : null}
        </>
      }
    >
      {view.notice && !problem ? (
        <Alert id="gh-notice" tone="notice">
          {view.notice}
        </Alert>
      ) : null}
      {view.account === undefined ? null : (
        <Form class="gh-account-line" csrf={csrf} action={action} values={{ ...carried, restart: "true" }}>
          <AccountName name={view.account} />
          {view.canRestart ? (
            <button class="gh-link" type="submit">
              {view.restart ?? text.notYou}
            </button>
          ) : null}
        </Form>
      )}
      <Form csrf={csrf} action={action} label={view.label ?? text.signIn} values={view.hidden} id="gh-step">
        <AboveButton.Provider value={trust}>
          <FieldProblem.Provider value={atField}>{view.body}</FieldProblem.Provider>
        </AboveButton.Provider>
      </Form>
      {view.beside?.map(({ path, body }) => (
        <Form class="gh-beside" csrf={csrf} action={action} values={{ ...carried, step: path }} isHidden>
          {body}
        </Form>
      ))}
      {providers.length > 0 ? (
        <section class="gh-others" aria-label={text.otherProviders}>
          <p class="gh-others-title">{text.otherProviders}</p>
          <ProviderLinks text={text} links={providers} />
          {view.moreProviders === undefined ? null : choice(view.moreProviders, text.moreProviders)}
        </section>
      ) : null}
      {others.length > 0 ? (
        <section class="gh-others" aria-label={text.otherWays} hidden={others.every(({ needsScripts }) => needsScripts)}>
          <p class="gh-others-title">{text.otherWays}</p>
          {others.map(({ path, label, needsScripts }) => choice(path, label, needsScripts))}
        </section>
      ) : null}
      {view.hint === undefined ? null : <p class="gh-hint">{view.hint}</p>}
      {links.length > 0 ? (
        <p class="gh-links">
          {links.map(({ href, label }) => (
            <a class="gh-link" href={href}>
              {label}
            </a>
          ))}
        </p>
      ) : null}
      {view.wayBack ? <WayBack {...view.wayBack} csrf={csrf} action={action} values={carried} /> : null}
      {view.application ? <ApplicationLinks {...view.application} text={text} /> : null}
    </Document>,
  );
}

const WayBack = ({ label, href, values, ...target }: NonNullable<StepView["wayBack"]> & FormTarget & { values: Record<string, string> }) =>
  href === undefined ? (
    <Form class="gh-way-back" {...target} values={{ ...values, giveUp: "true" }}>
      <button class="gh-link" type="submit">
        {label}
      </button>
    </Form>
  ) : (
    <p class="gh-way-back">
      <a class="gh-link" href={href}>
        {label}
      </a>
    </p>
  );

const Lead = ({ children }: { children: ComponentChildren }) => <p class="gh-lead">{children}</p>;

/** A text with a name in it, which is set apart. */
export const Named = ({ template, values }: { template: string; values: Readonly<Record<string, string>> }) => (
  <Filled template={template} values={values} class="gh-account" />
);
