import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import Type from "typebox";
import { clock, DAY } from "../../../kernel/clock.ts";
import { type PublishedDocument, publish } from "../../../platform/http/index.ts";
import { type RealmSnapshot, unknownRealm } from "../../../tenancy/realms/index.ts";
import { PATHS } from "../identity.ts";
import { type MetadataParts, makeMetadata } from "./document.ts";

const params = Type.Object({ realm: Type.String() });

/** Under both addresses: below the realm's own, and without `/realms`. */
export const samlMetadataRoutes: FastifyPluginAsyncTypebox<MetadataParts> = async (app, parts) => {
  const { realms } = parts;
  // One for each configuration of the realm, made anew every day: it says until when it is valid.
  const made = new WeakMap<RealmSnapshot, { readonly day: number; readonly document: Promise<PublishedDocument> }>();
  const ready = new WeakMap<Promise<PublishedDocument>, PublishedDocument>();
  const today = () => Math.floor(clock.now() / DAY);
  const current = (realm: RealmSnapshot | undefined) => {
    const known = realm && made.get(realm);
    return known?.day === today() ? known.document : undefined;
  };
  const published = publish({
    known(name) {
      const document = current(realms.peek(name));
      return document && ready.get(document);
    },
    async find(name) {
      const realm = await realms.get(name);
      if (!realm) throw unknownRealm();
      const known = current(realm);
      if (known) return known;
      const document = makeMetadata(parts, realm);
      made.set(realm, { day: today(), document });
      document.then(
        (complete) => ready.set(document, complete),
        () => made.delete(realm),
      );
      return document;
    },
  });
  const schema = {
    summary: "The realm as a SAML identity provider: its certificates and endpoints",
    tags: ["Protocol"],
    produces: ["application/samlmetadata+xml"],
    params,
    response: { 200: Type.String({ description: "SAML metadata, signed" }) },
  };
  app.get(`/realms/:realm${PATHS.metadata}`, { schema, ...published });
  app.get(`/:realm${PATHS.metadata}`, { schema: { ...schema, operationId: "getShortSamlIdpMetadata" }, ...published });
};
