import type { FastifyReply, FastifyRequest } from "fastify";
import { type Messages, messagesOf, Named, renderStep, Submit, sendPage } from "../../pages/index.ts";
import type { Visitors } from "../login/index.ts";

/** The page of a mail's link, with one button. To open the link changes nothing. */
export interface LinkPage {
  /** The path of the page itself. */
  readonly path: string;
  readonly title: keyof Messages;
  readonly lead: keyof Messages;
  readonly values: Readonly<Record<string, string>>;
  readonly button: keyof Messages;
  /** The addresses to which the button may lead besides this server. */
  readonly callbacks?: readonly string[];
}

export function showLink(visitors: Visitors, request: FastifyRequest, reply: FastifyReply, page: LinkPage, isStale: boolean) {
  const frame = visitors.formOf(request, reply, page.path);
  const text = messagesOf(frame);
  const html = renderStep({
    ...frame,
    action: page.path,
    hidden: {},
    title: text[page.title],
    lead: <Named template={text[page.lead]} values={page.values} />,
    body: <Submit>{text[page.button]}</Submit>,
    label: text[page.button],
    problem: isStale ? { title: text.csrfTitle, text: text.invitationCsrfText } : undefined,
  });
  const { callbacks = [] } = page;
  return sendPage(reply, isStale ? 403 : 200, html, { callbacks });
}
