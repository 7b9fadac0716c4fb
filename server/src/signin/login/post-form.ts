import { randomBytes } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import { assetHref } from "../assets/index.ts";
import { type Hop, type Messages, renderPostForm, sendPage } from "../pages/index.ts";
import type { Visitors } from "./visitors.ts";

interface Exchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/**
 * The page that posts a message to an application or to an identity provider. Without `form-action`: browsers apply it to redirects after the POST as well, and
 * applications send users on to other hosts.
 */
export function showPostForm(
  visitors: Visitors,
  { request, reply }: Exchange,
  hop: Required<Hop>,
  title: keyof Messages = "postFormTitle",
) {
  const { visitor } = request;
  const nonce = randomBytes(18).toString("base64");
  const html = renderPostForm({ ...visitors.frameOf(request, reply, visitor), hop, title, script: { src: assetHref("hop.js"), nonce } });
  return sendPage(reply, 200, html, { nonce, logoUrl: visitor.realm.settings.logoUrl, formActionOrigins: "any" });
}
