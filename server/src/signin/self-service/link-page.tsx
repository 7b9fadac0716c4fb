import type { FastifyReply, FastifyRequest } from "fastify";
import { loginPath, type Visitor, type Visitors } from "../login/index.ts";
import {
  languageLinks,
  type MessageKind,
  type Messages,
  messagesOf,
  Named,
  renderMessage,
  renderStep,
  Submit,
  sendPage,
} from "../pages/index.ts";

/** One button: what a mail's link leads to. Whatever merely opens the link changes nothing. */
export interface LinkPage {
  /** Of the page itself. */
  readonly path: string;
  readonly title: keyof Messages;
  readonly lead: keyof Messages;
  readonly values: Readonly<Record<string, string>>;
  readonly button: keyof Messages;
  /** Where the button may lead beside this server. */
  readonly formActionOrigins?: readonly string[];
}

export function createLinkPages(visitors: Visitors) {
  const showLink = (request: FastifyRequest, reply: FastifyReply, visitor: Visitor, page: LinkPage, isStale = false) => {
    const frame = visitors.frameOf(request, reply, visitor);
    const text = messagesOf(frame.locale);
    const html = renderStep({
      ...frame,
      csrf: visitors.tokenFor(request, reply, visitor),
      action: page.path,
      hidden: {},
      title: text[page.title],
      lead: <Named template={text[page.lead]} values={page.values} />,
      body: <Submit>{text[page.button]}</Submit>,
      label: text[page.button],
      problem: isStale ? { title: text.csrfTitle, text: text.invitationCsrfText } : undefined,
      others: [],
      canRestart: false,
      languages: languageLinks((language) => `${page.path}?lang=${language}`),
    });
    const { formActionOrigins } = page;
    const leadsTo = formActionOrigins && { formActionOrigins: [...formActionOrigins] };
    return sendPage(reply, isStale ? 403 : 200, html, leadsTo);
  };

  const showMessage = (request: FastifyRequest, reply: FastifyReply, visitor: Visitor, kind: MessageKind, status: number) => {
    const frame = visitors.frameOf(request, reply, visitor);
    const back = { href: loginPath(visitor.realm.realmId), label: messagesOf(frame.locale).signIn };
    return sendPage(reply, status, renderMessage({ ...frame, kind, back }));
  };

  return { showLink, showMessage };
}
