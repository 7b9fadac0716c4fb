import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import Type from "typebox";
import { type PublishedDocument, publish } from "../../../platform/http/index.ts";
import { unknownRealm } from "../../../tenancy/realms/index.ts";
import { publishAt } from "../../gate/index.ts";
import type { Issuer, Issuers } from "../issuer.ts";
import { authzenConfiguration, discoveryDocument, protectedResource, umaConfiguration } from "./documents.ts";

const params = Type.Object({ realm: Type.String() });
const Metadata = Type.Object({ issuer: Type.Optional(Type.String()) }, { $id: "IssuerMetadata", additionalProperties: true });

const documents: readonly { readonly name: string; readonly summary: string; readonly of: (issuer: Issuer) => PublishedDocument }[] = [
  { name: "openid-configuration", summary: "Read the issuer metadata (OpenID Connect Discovery)", of: discoveryDocument },
  { name: "oauth-authorization-server", summary: "Read the authorization server metadata (RFC 8414)", of: discoveryDocument },
  { name: "oauth-protected-resource", summary: "Read the protected resource metadata of the realm (RFC 9728)", of: protectedResource },
  { name: "uma2-configuration", summary: "Read the authorization server metadata (UMA 2.0)", of: umaConfiguration },
  {
    name: "authzen-configuration",
    summary: "Read the policy decision point metadata of the realm (AuthZEN 1.0 §9)",
    of: authzenConfiguration,
  },
];

/** Mounted under /realms/:realm, and at the path of RFC 8414 §3 and RFC 9728 §3: /.well-known/…/realms/:realm. */
export const metadataRoutes: FastifyPluginAsyncTypebox<{ issuers: Issuers }> = async (app, { issuers }) => {
  for (const { name, summary, of } of documents) {
    const published = publish({
      known(realm) {
        const issuer = issuers.peek(realm);
        return issuer && of(issuer);
      },
      async find(realm) {
        const issuer = await issuers.get(realm);
        if (!issuer) throw unknownRealm();
        return of(issuer);
      },
    });
    for (const path of [`/realms/:realm/.well-known/${name}`, `/.well-known/${name}/realms/:realm`]) {
      const schema = { summary, tags: ["Protocol"], params, response: { 200: Metadata } };
      publishAt(app, path, schema, published);
    }
  }
};
