import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import Type from "typebox";
import { clock, DAY } from "../../kernel/clock.ts";
import { anonymous, type PublishedDocument, publishOne, route, samlMetadataOf } from "../../platform/http/index.ts";
import type { BrokerTools } from "../brokers/broker.ts";
import { providerErrors } from "../providers/errors.ts";
import { brokerOf } from "../providers/protocols.ts";
import type { IdentityProviders, ProviderSnapshot } from "../providers/provider.ts";

export interface ProviderMetadataParts {
  readonly providers: IdentityProviders;
  readonly tools: BrokerTools;
}

/** Mounted under /realms/:realm. */
export const providerMetadataRoutes: FastifyPluginAsyncTypebox<ProviderMetadataParts> = async (app, { providers, tools }) => {
  // One document is kept for each snapshot of a provider. It is made again every day, because it states until when it is valid.
  const made = new WeakMap<ProviderSnapshot, { readonly day: number; readonly document: Promise<PublishedDocument> }>();
  route(app, "GET", "/broker/:alias/metadata", {
    config: { caller: anonymous(), errors: "problem" },
    serializerCompiler: () => (body: unknown) => body as string,
    summary: "Read the realm's SAML metadata for an identity provider",
    tags: ["Protocol"],
    produces: ["application/samlmetadata+xml"],
    params: Type.Object({ realm: Type.String(), alias: Type.String({ maxLength: 63 }) }),
    response: {
      200: Type.String({ description: "The signed SAML metadata of the realm as a service provider: its certificates and endpoints" }),
    },
    handler: async (request, reply) => {
      const provider = (await providers.get(request.realmId))?.byAlias.get(request.params.alias);
      const write = provider && brokerOf(provider.protocol)?.metadata;
      // A disabled provider has metadata too, so that the other side can be set up first.
      if (!provider || !write) throw providerErrors.not_found();
      const day = Math.floor(clock.now() / DAY);
      let known = made.get(provider);
      if (known?.day !== day) {
        const document = write(provider, tools).then((xml) => samlMetadataOf(xml));
        known = { day, document };
        made.set(provider, known);
        document.catch(() => made.delete(provider));
      }
      return publishOne(request, reply, await known.document);
    },
  });
};
