import { randomBytes } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Db } from "../../../platform/db/index.ts";
import { artifactUrl, type Fragment, postFields } from "../../../platform/saml/index.ts";
import { assetHref } from "../../../signin/assets/index.ts";
import { seeOther } from "../../../signin/login/index.ts";
import { renderPostForm, sendPage } from "../../../signin/pages/index.ts";
import { keepMessage } from "../artifact/index.ts";
import { entityIdOf } from "../identity.ts";
import type { SamlParts } from "../parts.ts";
import type { Exchange } from "./decide.ts";

type Asked = Pick<Exchange, "realm" | "client" | "request">;

/** How a response gets to its service provider: kept where need be, then sent. */
export interface Delivery {
  readonly keep: ((db: Db, message: Fragment) => Promise<void>) | null;
  send(message: Fragment): unknown;
}

export function deliveryOf(
  parts: SamlParts,
  asked: Asked,
  at: { readonly request: FastifyRequest; readonly reply: FastifyReply },
): Delivery {
  const { location, binding } = asked.request.consumer;
  const { relayState } = asked.request;
  if (binding === "post") return { keep: null, send: (message) => sendForm(parts, asked, at, postFields(message, relayState)) };
  let artifact = "";
  return {
    async keep(db, message) {
      const place = { realm: asked.realm.realmId, entityId: asked.client.entityId };
      artifact = await keepMessage(db, parts.vault, place, entityIdOf(parts.baseUrl, place.realm), message);
    },
    send: () => seeOther(at.reply, artifactUrl(location, artifact, relayState)),
  };
}

/** SAML bindings §3.5.4. */
function sendForm(
  { visitors }: SamlParts,
  { client, realm, request: { consumer } }: Asked,
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
  fields: Readonly<Record<string, string>>,
) {
  const nonce = randomBytes(18).toString("base64");
  const html = renderPostForm({
    ...visitors.frameOf(request, reply, request.visitor),
    application: client.name ?? client.entityId,
    action: consumer.location,
    fields,
    script: { src: assetHref("post-form.js"), nonce },
  });
  return sendPage(reply, 200, html, { nonce, logoUrl: realm.settings.logoUrl, formActionOrigins: "any" });
}
