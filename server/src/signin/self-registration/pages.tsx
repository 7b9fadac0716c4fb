import type { FastifyReply, FastifyRequest } from "fastify";
import { loginPath, type Visitor, type Visitors } from "../login/index.ts";
import {
  languageLinks,
  MailedCode,
  type MessageKind,
  type Messages,
  messagesOf,
  Named,
  Registration,
  type RegistrationForm,
  renderMessage,
  renderStep,
  sendPage,
} from "../pages/index.ts";
import type { WayBack } from "../self-service/index.ts";
import type { Refusal } from "./refusals.ts";

type Shown = { readonly status: number } & Partial<Refusal> & Pick<WayBack, "formActionOrigins">;

/** The pages of self-registration. */
export function createRegistrationPages(visitors: Visitors) {
  const send = (reply: FastifyReply, html: string, { status, retryAfterSeconds, formActionOrigins }: Shown) =>
    sendPage(reply, status, html, {
      ...(formActionOrigins && { formActionOrigins: [...formActionOrigins] }),
      ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    });
  const problemOf = (text: Messages, shown: Shown) =>
    shown.title && shown.text ? { title: text[shown.title], text: text[shown.text] } : undefined;

  const showForm = (
    request: FastifyRequest,
    reply: FastifyReply,
    visitor: Visitor,
    { typed, ...shown }: Shown & { readonly typed: RegistrationForm },
  ) => {
    const { realmId, settings } = visitor.realm;
    const frame = visitors.frameOf(request, reply, visitor);
    const text = messagesOf(frame.locale);
    const path = `/realms/${realmId}/register`;
    const kept = visitors.carried(request);
    const query = new URLSearchParams(kept).toString();
    const html = renderStep({
      ...frame,
      csrf: visitors.tokenFor(request, reply, visitor),
      action: path,
      hidden: kept,
      title: text.registerTitle,
      body: (
        <Registration
          text={text}
          typed={typed}
          policy={settings.passwordPolicy}
          asksUsername={!settings.registration.emailAsUsername}
          blamed={shown.blamed ?? null}
          quiet={shown.title !== undefined}
        />
      ),
      label: text.registerSubmit,
      problem: problemOf(text, shown),
      retryAfterSeconds: shown.retryAfterSeconds,
      others: [],
      canRestart: false,
      links: [{ href: `${loginPath(realmId)}${query && `?${query}`}`, label: text.registerHave }],
      languages: languageLinks((language) => `${path}?${new URLSearchParams({ ...kept, lang: language })}`),
    });
    return send(reply, html, shown);
  };

  /** Asks for the mailed code; the same for an address that has an account already. */
  const showWaiting = (
    request: FastifyRequest,
    reply: FastifyReply,
    visitor: Visitor,
    { path, email, ...shown }: Shown & { readonly path: string; readonly email: string },
  ) => {
    const frame = visitors.frameOf(request, reply, visitor);
    const text = messagesOf(frame.locale);
    const problem = problemOf(text, shown);
    const html = renderStep({
      ...frame,
      csrf: visitors.tokenFor(request, reply, visitor),
      action: path,
      hidden: {},
      title: text.verifyEmailTitle,
      lead: <Named template={text.verifyEmailText} values={{ address: email }} />,
      body: <MailedCode text={text} invalid={shown.status === 401} quiet={problem !== undefined} canResend={false} />,
      label: text.verifyEmailTitle,
      problem,
      retryAfterSeconds: shown.retryAfterSeconds,
      others: [],
      canRestart: false,
      links: [{ href: `/realms/${visitor.realm.realmId}/register`, label: text.back }],
      languages: languageLinks((language) => `${path}?lang=${language}`),
    });
    return send(reply, html, shown);
  };

  const showMessage = (request: FastifyRequest, reply: FastifyReply, visitor: Visitor, kind: MessageKind, status: number) => {
    const frame = visitors.frameOf(request, reply, visitor);
    const back = { href: loginPath(visitor.realm.realmId), label: messagesOf(frame.locale).signIn };
    return send(reply, renderMessage({ ...frame, kind, back }), { status });
  };

  return { showForm, showWaiting, showMessage };
}
