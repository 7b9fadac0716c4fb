import type { FastifyReply, FastifyRequest } from "fastify";
import {
  MailedCode,
  type Messages,
  messagesOf,
  Named,
  Registration,
  type RegistrationForm,
  renderStep,
  type StepView,
  sendPage,
} from "../../pages/index.ts";
import { loginPath, type Visitors } from "../login/index.ts";
import { askedAtRegistration, shownAttribute } from "../own-profile/index.ts";
import type { WayBack } from "../self-service/index.ts";
import type { Refusal } from "./refusals.ts";

type Shown = { readonly status: number; readonly notice?: keyof Messages } & Partial<Refusal> & Pick<WayBack, "callbacks">;

/** Creates the pages of self-registration. */
export function createRegistrationPages(visitors: Visitors) {
  const show = (
    request: FastifyRequest,
    reply: FastifyReply,
    {
      path,
      kept,
      isAtField,
      ...shown
    }: Shown & { readonly path: string; readonly kept: Record<string, string>; readonly isAtField: boolean },
    stepOf: (text: Messages, isRefused: boolean) => Pick<StepView, "title" | "lead" | "body" | "label" | "links">,
  ) => {
    const { status, retryAfterSeconds, callbacks = [] } = shown;
    const frame = visitors.formOf(request, reply, path, kept);
    const text = messagesOf(frame);
    const problem = shown.title && shown.text ? { title: text[shown.title], text: text[shown.text] } : undefined;
    const step = stepOf(text, problem !== undefined);
    const html = renderStep({
      ...frame,
      ...step,
      action: path,
      hidden: kept,
      problem,
      problemAtField: isAtField,
      notice: shown.notice && text[shown.notice],
      retryAfterSeconds,
    });
    return sendPage(reply, status, html, { callbacks, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) });
  };

  const showForm = (request: FastifyRequest, reply: FastifyReply, { typed, ...shown }: Shown & { readonly typed: RegistrationForm }) => {
    const { realmId, settings } = request.realm;
    const kept = visitors.carried(request);
    const query = new URLSearchParams(kept).toString();
    const { blamed = null } = shown;
    const asksUsername = !settings.registration.emailAsUsername;
    const isAtField = blamed === "email" || blamed === "password" || (blamed === "username" && asksUsername);
    const locale = visitors.localeOf(request, request.realm);
    const values = { ...typed.attributes, firstName: typed.firstName, lastName: typed.lastName };
    return show(request, reply, { ...shown, path: `/realms/${realmId}/register`, kept, isAtField }, (text, isRefused) => ({
      title: text.registerTitle,
      body: (
        <Registration
          {...{ text, typed, asksUsername, blamed }}
          attributes={askedAtRegistration(settings).map((each) =>
            shownAttribute(each, { text, locale, settings, values, fault: shown.fault }),
          )}
          policy={settings.passwordPolicy}
          quiet={isRefused}
        />
      ),
      label: text.registerSubmit,
      links: [{ href: `${loginPath(realmId)}${query && `?${query}`}`, label: text.registerHave }],
    }));
  };

  /** Asks for the mailed code. The page is the same for an address that has an account already. */
  const showWaiting = (
    request: FastifyRequest,
    reply: FastifyReply,
    {
      email,
      resend,
      back,
      ...shown
    }: Shown & { readonly path: string; readonly email: string; readonly resend: number; readonly back: string },
  ) =>
    show(request, reply, { ...shown, kept: {}, isAtField: shown.status === 401 }, (text, isRefused) => ({
      title: text.verifyEmailTitle,
      lead: <Named template={text.verifyEmailText} values={{ address: email }} />,
      body: <MailedCode text={text} alert={isRefused ? { blames: shown.status === 401 } : null} resend={resend} />,
      label: text.verifyEmailTitle,
      links: [{ href: back, label: text.back }],
    }));

  return { showForm, showWaiting };
}
