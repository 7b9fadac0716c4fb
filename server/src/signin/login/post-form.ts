import { assetHref, type Hop, type Messages, nonceOf, renderPostForm, sendPage } from "../../pages/index.ts";
import type { Exchange, Visitors } from "./visitors.ts";

/**
 * Shows the page that posts a message to an application or to an identity provider. The page has no `form-action`: browsers apply it to
 * redirects after the POST as well, and applications send users on to other hosts.
 */
export function showPostForm(
  visitors: Visitors,
  { request, reply }: Exchange,
  hop: Required<Hop>,
  title: keyof Messages = "postFormTitle",
) {
  const nonce = nonceOf(reply.request);
  const frame = visitors.frameOf(request, reply, request.visitor);
  const scripts = [...frame.scripts, { src: assetHref("hop.js"), nonce }];
  const html = renderPostForm({ ...frame, hop, title, scripts });
  return sendPage(reply, 200, html, { nonce, postsElsewhere: true });
}
