import type { FastifyReply, FastifyRequest } from "fastify";
import { samlClientName } from "../../../applications/saml-clients/index.ts";
import type { Db } from "../../../platform/db/index.ts";
import { artifactUrl, type Fragment, postFields } from "../../../platform/saml/index.ts";
import { seeOther, showPostForm } from "../../../signin/login/index.ts";
import { keepMessage } from "../artifact/index.ts";
import { entityIdOf } from "../identity.ts";
import type { SamlParts } from "../parts.ts";
import type { Exchange } from "./decide.ts";

type Asked = Pick<Exchange, "realm" | "client" | "request">;

/** Delivers a response to its service provider: stores it where needed, then sends it. */
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
  if (binding === "post") {
    const name = samlClientName(asked.client);
    return { keep: null, send: (message) => showPostForm(parts.visitors, at, { name, location, form: postFields(message, relayState) }) };
  }
  let artifact = "";
  return {
    async keep(db, message) {
      const place = { realm: asked.realm.realmId, entityId: asked.client.entityId };
      artifact = await keepMessage(db, parts.vault, place, entityIdOf(parts.baseUrl, place.realm), message);
    },
    send: () => seeOther(at.reply, artifactUrl(location, artifact, relayState)),
  };
}
